/** Figures as a file for the textfile collector of Prometheus' node_exporter. Imported only if there is such a file. */

import { Gauge, Registry } from 'prom-client'
import { replaceFile } from '../../system/durable.ts'
import type { Figure } from './figures.ts'

/** Base units, as Prometheus' naming conventions have them; what is counted has none. */
const suffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '{USD}': '_dollars' }

/** node_exporter has a user of its own, and must never read half of a file. */
export async function writeTextfile(file: string, figures: readonly Figure[]): Promise<void> {
  const registry = new Registry()
  for (const { name, help, unit, values } of figures) {
    const labelNames = [...new Set(values.flatMap(({ labels }) => Object.keys(labels)))]
    const metric = `fundpress_${name.replaceAll('.', '_')}${suffixes[unit] ?? ''}`
    const gauge = new Gauge({ name: metric, help, labelNames, registers: [registry] })
    for (const { labels, value } of values) gauge.set(labels, value)
  }
  replaceFile(file, await registry.metrics(), 0o644)
}
