/** A reader of figures that shares no code with what wrote them: Prometheus' own parser. */
import { pythonWith } from '../../support/python.ts'

/** What Prometheus' own parser makes of a file: a family of samples by name. */
export type Families = Readonly<Record<string, Family>>
interface Family {
  readonly type: string
  readonly help: string
  readonly samples: readonly { readonly labels: Labels; readonly value: number }[]
}
type Labels = Readonly<Record<string, string>>

export const prometheus = pythonWith('prometheus_client')

/** @param files read one after the other, as node_exporter reads those of its folder */
export function readTextfiles(...files: readonly string[]): Families {
  if (prometheus === undefined) throw new Error('python3-prometheus-client is missing')
  return prometheus(
    `import json, sys
from prometheus_client.parser import text_string_to_metric_families
families = {}
for name in sys.argv[1:]:
    for family in text_string_to_metric_families(open(name, encoding="utf-8").read()):
        samples = [{"labels": s.labels, "value": s.value} for s in family.samples]
        assert all(s.name == family.name and s.timestamp is None for s in family.samples), family
        known = families.setdefault(family.name, {"type": family.type, "help": family.documentation, "samples": []})
        assert (known["type"], known["help"]) == (family.type, family.documentation), family
        assert not any(one["labels"] == other["labels"] for one in samples for other in known["samples"]), family
        known["samples"] += samples
print(json.dumps(families))`,
    ...files,
  )
}

/** The value of a family without labels but those that all have; or its values by the other label. */
export function valuesOf(families: Families, name: string): number | Readonly<Record<string, number>> {
  const samples = families[name]?.samples ?? []
  const own = ({ bucket: _, base: _base, command: _command, ...labels }: Labels) => Object.values(labels)
  const [only] = samples
  if (samples.length === 1 && only !== undefined && own(only.labels).length === 0) return only.value
  return Object.fromEntries(samples.map(({ labels, value }) => [own(labels).join(' '), value]))
}
