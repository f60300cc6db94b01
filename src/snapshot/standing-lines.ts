/** Lines of the previous manifest below one folder, one folder a fund and endpoint: what a build can take over. */

export interface StandingLine {
  readonly key: string
  /** The key's part below the folder. */
  readonly name: string
  readonly sha256: string
  readonly bytes: number
  readonly type: string
  /** '' in a manifest of an earlier version. */
  readonly from: string
}

/** As `manifestLine` writes them. A name has no slash: it could lead out of the folder. */
const everyLine =
  /^\{"key":"((?:[\w.-]+\/)*)([\w.-]+)","sha256":"([0-9a-f]{64})","bytes":(\d+),"type":"([^"\\]+)"(?:,"from":"([\w-]*)")?\}$/gm

/** Any lines of a manifest, or null where the text holds anything else. */
export function anyLines(text: string): StandingLine[] | null {
  const found: StandingLine[] = []
  let length = 0
  for (const match of text.matchAll(everyLine)) {
    const [line, of = '', name = '', sha256 = '', bytes = '', type = '', from = ''] = match
    found.push({ key: of + name, name, sha256, bytes: Number(bytes), type, from })
    length += line.length + 1
  }
  return length === text.length && !found.some(({ key }) => key.includes('../')) ? found : null
}

/**
 * @param folder ends with a slash
 * @returns the lines in the order of their names; none at all where the text holds anything but lines of this folder
 */
export function standingLines(text: string, folder: string): StandingLine[] {
  const found: StandingLine[] = []
  let length = 0
  let last = ''
  for (const match of text.matchAll(everyLine)) {
    const [line, of, name = '', sha256 = '', bytes = '', type = '', from = ''] = match
    if (of !== folder || name <= last) return []
    found.push({ key: of + name, name, sha256, bytes: Number(bytes), type, from })
    length += line.length + 1
    last = name
  }
  return length === text.length ? found : []
}
