/** Figures as a file for the textfile collector of Prometheus' node_exporter. */

import { replaceFile } from '../../system/durable.ts'
import type { Figure } from './figures.ts'

/** Base units of Prometheus' naming conventions. Counted things have none. */
const suffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '{USD}': '_dollars' }

/** Replaces the whole file, readable for node_exporter's own user. Source: Prometheus' text-based format. */
export function writeTextfile(file: string, figures: readonly Figure[]): void {
  const lines = figures.flatMap(({ name, help, unit, values }) => {
    const metric = `fundpress_${name.replaceAll('.', '_')}${suffixes[unit] ?? ''}`
    const samples = values.map(({ labels, value }) => `${metric}${labelsOf(labels)} ${value}`)
    return [`# HELP ${metric} ${escaped(help)}`, `# TYPE ${metric} gauge`, ...samples]
  })
  replaceFile(file, `${lines.join('\n')}\n`, 0o644)
}

function labelsOf(labels: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(String(value)).replaceAll('"', '\\"')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
