/**
 * `index.html` of the downloads, and `de.html` in German: the files by what people look for first, each table in one row with
 * all its formats, how to open them, and schema.org's Dataset for search engines.
 */

import { bilingual } from '../../core/layout/bilingual.ts'
import { type Licence, maxCharacters, type SiteParts } from '../../core/api/contract/page.ts'
import { bytesIn, dayIn, fixedIn } from '../../core/layout/formats.ts'
import {
  addressText,
  html,
  linkedData,
  type HtmlContent,
  linkTo,
  section,
  wideTable,
  type Html,
} from '../../core/layout/html.ts'
import { addressOf } from '../../core/layout/head.ts'
import { frontPages, layout, pageTemplate, sectionLinks } from '../../core/layout/layout.ts'
import { fingerprintOf, verifyCommand } from '../../core/system/ssh-signature.ts'
import type { Language } from '../../core/api/routes/table.ts'
import type { DescribedFile, PackageFacts } from './data-package.ts'
import type { DownloadFormat } from './formats/format.ts'
import { historyPath } from './formats/fund-files.ts'
import { type ColumnType, newestPrices, type OutputTable, pricesTable, tables } from './tables.ts'

interface PageFacts extends PackageFacts {
  readonly formats: readonly DownloadFormat[]
  /** The public key of the signature of the checksums; null without one. */
  readonly signedBy: string | null
  /** Whether the snapshot has other pages: this one looks like them, and leads to them. */
  readonly hasPages: boolean
  readonly parts: SiteParts
  /** The beginning of the CSV files, by their path. */
  readonly beginnings: ReadonlyMap<string, string>
}

export const indexPages: Readonly<Record<Language, string>> = { en: 'index.html', de: 'de.html' }

/** The rows of the page by its sections. Rows that are not named here are in the last one. */
const sections = {
  newest: ['workbook', 'newest_prices', 'computed_figures'],
  prices: ['prices', 'distributions'],
  funds: ['funds', 'profiles', 'key_figures', 'structures', 'allocations', 'documents'],
  performance: ['performance_years', 'performance_periods', 'performance_line', 'performance_launch'],
  emt: ['emt'],
  exchange: ['exchange'],
  everything: [] as readonly string[],
} as const

type SectionId = keyof typeof sections

/** @param files all others, in the order of their paths */
export function indexPage(files: readonly DescribedFile[], facts: PageFacts, language: Language): string {
  const { asOf, licence, hasPages, parts, publisher, baseUrl } = facts
  const w = pageWords[language]
  const day = dayIn(language, asOf)
  const listed = files.filter(({ piece }) => piece.row !== null)
  const example = files.find(({ piece }) => piece.row === null)
  const keyIn = (other: Language) => `downloads/${asOf}/${indexPages[other]}`
  const list = fileLists(listed, facts, language)
  const ofFiles = (id: SectionId): readonly PagePart[] => {
    const content = list(id)
    return content === null ? [] : [{ id, heading: w.sections[id], content }]
  }
  const ofFund =
    example === undefined
      ? []
      : [
          {
            id: 'fund',
            heading: w.fund,
            content: oneFund(example.piece.name, facts, language, keyIn(language)),
          },
        ]
  const sectionsOfPage = [
    ...ofFiles('newest'),
    ...ofFund,
    ...(['prices', 'funds', 'performance', 'emt', 'exchange', 'everything'] as const).flatMap(ofFiles),
    { id: 'open', heading: w.open, content: whichFormat(facts, language) },
    { id: 'earlier', heading: w.earlier, content: earlierDays(facts, language) },
    { id: 'check', heading: w.check, content: checksums(listed, facts, language) },
  ]
  return layout({
    keys: { en: keyIn('en'), de: keyIn('de') },
    canonicalKeys: frontPages.downloads,
    language,
    baseUrl,
    title: w.title(day),
    description: w.description(day),
    part: 'downloads',
    parts,
    publisher,
    // Without other pages there is no style sheet that it adds to.
    styles: hasPages ? [`downloads/${asOf}/${pageStyle.name}`] : [],
    scripts: [`downloads/${asOf}/${daysScript.name}`],
    isAlone: !hasPages,
    head: linkedData(dataset(listed, facts, language)),
    // Without other pages there is no style sheet that puts it beside the files.
    ...(hasPages && { side: sectionLinks(sectionsOfPage, language) }),
    main: html`<h1>${w.heading}</h1>
      <p>${w.intro(html`<time datetime="${asOf}">${day}</time>`)} ${w.earlierBelow}</p>
      ${licence === null ? null : html`<p>${w.licence}: ${licenceLink(licence)}</p>`}
      ${sectionsOfPage.map(({ id, heading, content }) => section(id, heading, content))}`,
  })
}

interface PagePart {
  readonly id: string
  readonly heading: string
  readonly content: Html
}

/** @returns the list of a section; null if it has no files */
function fileLists(files: readonly DescribedFile[], facts: PageFacts, language: Language) {
  const rows = Map.groupBy(files, ({ piece }) => piece.row ?? '')
  const named = new Set<string>(Object.values(sections).flat())
  return (id: SectionId): Html | null => {
    const own = id === 'everything' ? [...rows.keys()].filter((row) => !named.has(row)) : sections[id]
    const items = own.flatMap((row) => fileRow(row, rows.get(row) ?? [], facts, language))
    return items.length === 0
      ? null
      : html`<ul class="files">
          ${items}
        </ul> `
  }
}

/** Shows the earlier days: only a publish knows them. */
export const daysScript = { name: 'days.js', content: () => pageTemplate('downloads/days.js') }

/** The look of what no other page has. */
export const pageStyle = {
  name: 'downloads.css',
  content: () => pageTemplate('downloads/downloads.css'),
}

/** Says without a script where the list is, and why a day may be missing. */
function earlierDays({ asOf, parts }: PageFacts, language: Language): Html {
  const w = pageWords[language]
  // Without that part only a bucket has the list.
  const list = parts.includes('changes')
    ? html`<a id="days-list" href="../../changes/downloads.json">downloads/index.json</a>`
    : html`<code>downloads/index.json</code>`
  return html`<p>${w.earlierDays(list)}</p>
    <p id="days" class="codes" data-as-of="${asOf}" data-none="${w.noEarlierDay}" hidden></p>
    <p id="withdrawn" class="callout" hidden>${w.withdrawn(html`<span></span>`)}</p>`
}

function whichFormat({ formats }: PageFacts, language: Language): Html {
  const advice = formats.flatMap(({ label, advice }) =>
    advice === undefined ? [] : [[label[language], advice[language]] as const],
  )
  const texts = advice.map(([name, text]) => [name, withFileNames(text)] as const)
  const codes = programs.map(([name, code]) => [name, program(name, code)] as const)
  return html`<dl class="formats">
    ${[...texts, ...codes].map(([name, content]) => [html`<dt>${name}</dt>`, html`<dd>${content}</dd>`])}
  </dl>`
}

function checksums(files: readonly DescribedFile[], facts: PageFacts, language: Language): Html {
  const w = pageWords[language]
  return html`<p>${w.forPrograms}</p>
    ${facts.signedBy !== null && signature(facts.signedBy, facts, language)}
    <details>
      <summary>${w.digests}</summary>
      <ul class="digests">
        ${files.map(
          ({ path, bytes, sha256 }) =>
            html`<li>
              <span>${path} <span class="quiet">${bytesIn(language, bytes)}</span></span>
              <code class="digest">${sha256}</code>
            </li> `,
        )}
      </ul>
    </details>`
}

/** How to check the signature. The first time, readers trust the address of the key, or compare its fingerprint. */
function signature(key: string, { asOf, baseUrl }: PageFacts, language: Language): Html {
  const code = [
    `curl -fsSo allowed_signers '${baseUrl}/.well-known/fundpress-signing-key'`,
    `curl -fsSO '${baseUrl}/downloads/${asOf}/SHA256SUMS'`,
    `curl -fsSO '${baseUrl}/downloads/${asOf}/SHA256SUMS.sig'`,
    `curl -fsSO '${baseUrl}/downloads/${asOf}/snapshot.json'`,
    verifyCommand('allowed_signers', 'SHA256SUMS'),
    `grep ' snapshot.json$' SHA256SUMS | sha256sum -c`,
    `grep -F '"as_of":"${asOf}"' snapshot.json`,
  ]
  return html`<p>${pageWords[language].signed(fingerprintOf(key))}</p>
    ${codeBlock(
      pageWords[language].verify,
      code.map((line, index) => [index > 0 && '\n', addressText(line)]),
    )}`
}

/** Code that the script of the page gives a button to copy it. */
const codeBlock = (label: string, code: HtmlContent): Html =>
  html`<div class="code" data-copy>${preformatted(label, code)}</div>`

/** Unlike a request, it keeps its lines where there is room. */
const program = (name: string, code: string): Html =>
  html`<div class="code" data-copy>
    <pre tabindex="0" role="group" aria-label="${name}" data-recipe="${name}"><code>${code}</code></pre>
  </div>`

/** Readers without a mouse must be able to scroll it. */
const preformatted = (label: string, code: HtmlContent): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre>`

const licenceLink = ({ name, url }: Licence): Html =>
  url === null ? html`${name}` : html`<a href="${url}" rel="license">${name}</a>`

/** Bounds that no price lies beyond. */
const always = '1900-01-01/2100-01-01'

/** The whole history of one fund: which file it is, and where to choose the fund. A list of all funds would be too long here. */
function oneFund(
  isin: string,
  { hasPages, parts, baseUrl }: PageFacts,
  language: Language,
  key: string,
): Html {
  const w = pageWords[language]
  const csvOf = (fund: string) => `${baseUrl}/api/v1/prices-historic/${fund}/${always}/?format=csv`
  const csv = html`<a href="${csvOf(isin)}">CSV</a>`
  const json = html`<a href="${historyPath(isin)}">JSON</a>`
  const list =
    hasPages &&
    parts.includes('funds') &&
    html`<a href="${linkTo(key, frontPages.funds[language])}">${w.fundList}</a>`
  const small = ['prices.csv', 'prices.json', 'nav.txt'].map(
    (name) => html`<a href="${isin}/${name}">${name}</a>`,
  )
  return html`<p>${w.choose(list)}</p>
    ${[csvOf('<ISIN>'), `${baseUrl}/downloads/latest/${historyPath('<ISIN>')}`].map((address) => codeBlock(w.address, addressText(address)))}
    <p>${w.example} ${csv}, ${json}.</p>
    <p class="quiet small">${w.small(fixedIn(language, maxCharacters, 0), small)}</p>`
}

/** A table, or another thing to download: what it is, how many rows it has, and its files. None if there are no files. */
function fileRow(
  row: string,
  files: readonly DescribedFile[],
  { formats, beginnings }: PageFacts,
  language: Language,
): readonly Html[] {
  const w = pageWords[language]
  const described = files.find(({ piece }) => piece.name === row) ?? files[0]
  if (described === undefined) return []
  const { piece, rows } = described
  // prices.parquet before prices-exact.parquet.
  const inOrder = [...files].sort(
    (one, other) => Number(other.piece.name === row) - Number(one.piece.name === row),
  )
  const byFormat = [...Map.groupBy(inOrder, ({ format }) => format)].sort(
    ([one], [other]) => formats.indexOf(one) - formats.indexOf(other),
  )
  return [
    html`<li>
      <p>
        ${withFileNames(piece.describe[language])}${rows !== undefined && html` <small class="quiet">${w.rows(rows, fixedIn(language, rows, 0))}</small>`}
      </p>
      <ul>
        ${byFormat.map(([{ label }, some]) =>
          some.length > 2
            ? manyFiles(label[language], some, language)
            : some.map((file) => fileItem((file.piece.label ?? label)[language], file, language)),
        )}
      </ul>
      ${[newestPrices, ...tables]
        .filter(({ name }) => name === row)
        .map((table) => dictionary(table, beginningOf(files, beginnings), language))}
    </li> `,
  ]
}

/** Of the plain CSV file. */
const beginningOf = (files: readonly DescribedFile[], beginnings: ReadonlyMap<string, string>) =>
  files.map(({ path }) => beginnings.get(path)).find((text) => text !== undefined)

/** The columns of a table with type and meaning, and its first rows: one line that opens. */
function dictionary(
  { columns, key, describe }: OutputTable,
  beginning: string | undefined,
  language: Language,
): Html {
  const w = pageWords[language]
  const rows = columns.map(({ name, type, isNullable, describe: meaning }) => [
    html`<code>${name}</code>`,
    [
      w.types[type],
      key.includes(name) && html`, <strong>${w.key}</strong>`,
      isNullable && `, ${w.mayBeEmpty}`,
    ],
    meaning[language],
  ])
  return html`<details class="dictionary">
    <summary>${w.columns(columns.length)}</summary>
    ${wideTable(`${w.columns(columns.length)}: ${describe[language]}`, {
      kind: 'columns',
      columns: [w.column, w.type, w.meaning],
      rows,
    })}
    ${
      beginning !== undefined &&
      html`<p class="quiet small">${w.beginning}</p>
        <div class="code">${preformatted(`${w.beginning} ${describe[language]}`, beginning)}</div>`
    }
  </details> `
}

const fileItem = (label: string, file: DescribedFile, language: Language): Html => {
  const name = nameOf(file)
    .split(/(?<=_)/)
    .map((part, index) => [index > 0 && html`<wbr />`, part])
  return html`<li>
    <span class="kind">${label}</span>
    <span
      ><a href="${file.path}">${name}</a> <span class="quiet">${bytesIn(language, file.bytes)}</span></span
    >
  </li> `
}

/** One line that opens: prices for Excel are a file for each year. */
const manyFiles = (label: string, files: readonly DescribedFile[], language: Language): Html =>
  html`<li>
    <details>
      <summary><span class="kind">${label}</span> ${pageWords[language].files(files.length)}</summary>
      <ul>
        ${files.toReversed().map((file) => fileItem(label, file, language))}
      </ul>
    </details>
  </li> `

/** A name never breaks at its hyphen: a reader looks for it as a whole. */
const withFileNames = (text: string): Html =>
  html`${text
    .split(/(\b[\w-]+\.(?:csv|parquet|sqlite|xlsx|xml)\b)/)
    .map((piece, index) => (index % 2 === 1 ? html`<code class="whole">${piece}</code>` : piece))}`

const nameOf = ({ path }: DescribedFile) => path.slice(path.lastIndexOf('/') + 1)

/** Source: schema.org/Dataset. */
function dataset(
  files: readonly DescribedFile[],
  { asOf, licence, baseUrl }: PackageFacts,
  language: Language,
) {
  return {
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    name: `Fund data as of ${asOf}`,
    description:
      'Prices, performance, investment structures, asset allocations, key figures, profiles and EMT data of investment ' +
      'funds, by ISIN, as CSV, Parquet, SQLite, JSON, FundsXML and openfunds.',
    url: addressOf(baseUrl, frontPages.downloads[language]),
    identifier: `fund-data-${asOf}`,
    version: asOf,
    dateModified: asOf,
    isAccessibleForFree: true,
    ...(licence === null ? {} : { license: licence.url ?? licence.name }),
    keywords: ['investment funds', 'net asset value', 'fund prices', 'ISIN', 'EMT'],
    distribution: files.map(({ path, bytes, sha256, format, piece }) => ({
      '@type': 'DataDownload',
      name: piece.describe.en,
      contentUrl: `${baseUrl}/downloads/${asOf}/${path}`,
      encodingFormat: format.mediatype,
      contentSize: `${bytes} B`,
      sha256,
    })),
  }
}

/** The first rows seldom have a tax figure, and DuckDB guesses types from these. */
const rareAmounts = pricesTable.columns.filter(({ type, isNullable }) => type === 'decimal' && isNullable)
const duckdbTypes = rareAmounts.map(({ name }) => `  ${name}: 'DOUBLE'`).join(',\n')
const duckdbCsv = `SELECT * FROM read_csv('prices.csv', types = {\n${duckdbTypes}\n})`

const programs: readonly (readonly [name: string, code: string])[] = [
  ['pandas', 'pandas.read_parquet("prices.parquet").astype({"date": "datetime64[ns]"})'],
  ['R', 'read.csv("prices.csv")'],
  ['DuckDB', "SELECT * FROM 'prices.parquet'"],
  ['DuckDB, CSV', duckdbCsv],
  ['sqlite3', "sqlite3 fund-data.sqlite 'SELECT * FROM funds'"],
]

export const pageWords = bilingual((say) => ({
  title: (day: string) => say(`Downloads as of ${day}`, `Downloads, Stichtag ${day}`),
  description: (day: string) =>
    say(
      `Fund data as of ${day} as CSV, Parquet, SQLite, JSON, FundsXML and openfunds, without registration.`,
      `Fondsdaten als CSV, Parquet, SQLite, JSON, FundsXML und openfunds, Stichtag ${day}, ohne Anmeldung abrufbar.`,
    ),
  heading: 'Downloads',
  intro: (day: Html) =>
    say(
      html`All data as of ${day}. A URL with <code>latest</code> instead of the date always leads to the
        newest files.`,
      html`Stichtag der Daten: ${day}. Eine URL mit <code>latest</code> statt des Datums führt immer zu den
        neuesten Dateien.`,
    ),
  earlierBelow: say(
    html`Files of <a href="#earlier">earlier days</a> keep their URL as long as they are available.`,
    html`Dateien <a href="#earlier">früherer Tage</a> behalten ihre URL, solange sie verfügbar sind.`,
  ),
  earlier: say('Earlier days', 'Frühere Tage'),
  earlierDays: (list: Html) =>
    say(
      html`${list} lists the days whose files are available. Days are missing on which nothing was published,
        and days that lie too far back. <code>withdrawn</code> names those whose files were withdrawn, because
        data in them may no longer be given out.`,
      html`${list} nennt die Tage, deren Dateien verfügbar sind. Es fehlen Tage ohne Veröffentlichung und
        Tage, die zu lange zurückliegen. Unter <code>withdrawn</code> stehen die Tage, deren Dateien
        zurückgezogen wurden, weil Daten darin nicht mehr herausgegeben werden dürfen.`,
    ),
  noEarlierDay: say(
    'At present, no files of earlier days are available.',
    'Derzeit sind keine Dateien früherer Tage verfügbar.',
  ),
  withdrawn: (days: Html) =>
    say(
      html`Withdrawn: ${days}. Data in the files of these days may no longer be given out.`,
      html`Zurückgezogen: ${days}. Daten in den Dateien dieser Tage dürfen nicht mehr herausgegeben werden.`,
    ),
  licence: say('Licence', 'Lizenz'),
  sections: {
    newest: say('Newest prices', 'Neueste Preise'),
    prices: say('History of all funds', 'Preishistorie aller Fonds'),
    funds: say('Funds and their portfolios', 'Fonds und ihre Portfolios'),
    performance: say('Performance', 'Wertentwicklung'),
    emt: say('EMT data', 'EMT-Daten'),
    exchange: say('For portals and distributors', 'Für Portale und Vertriebspartner'),
    everything: say('Everything in one file', 'Alles in einer Datei'),
  },
  fund: say('History of one fund', 'Preishistorie eines Fonds'),
  choose: (list: Html | false) =>
    say(
      html`All prices of a fund are available as CSV, from the API, and as a JSON file, both with decimal
      points. The names of saved files begin with the ISIN.
      ${list && html`Choose the fund in the ${list}: its page links to both under “Data”.`}`,
      html`Alle Preise eines Fonds liefert die API als CSV; dazu gibt es eine JSON-Datei. Beide haben einen
      Dezimalpunkt. Die Namen gespeicherter Dateien beginnen mit der ISIN.
      ${list && html`Wählen Sie den Fonds in der ${list}; seine Seite verweist im Abschnitt „Daten“ auf beide.`}`,
    ),
  fundList: say('list of funds', 'Fondsliste'),
  address: say('Address', 'Adresse'),
  example: say('For example:', 'Beispiel:'),
  small: (limit: string, [csv, json, nav]: readonly Html[]) =>
    say(
      html`For the web functions of spreadsheets, the same folder contains ${csv} and ${json} with the newest
      prices (up to ${limit} characters), and ${nav} with the newest net asset value only.`,
      html`Für die Webfunktionen von Tabellenkalkulationen enthält derselbe Ordner ${csv} und ${json} mit den
      neuesten Preisen (bis zu ${limit} Zeichen) sowie ${nav} nur mit dem neuesten Nettoinventarwert.`,
    ),
  open: say('Which format to choose', 'Welches Format wofür?'),
  check: say('Checksums and description', 'Prüfsummen und Beschreibung'),
  forPrograms: say(
    html`<a href="datapackage.json">datapackage.json</a> describes the files for programs. Check all files
      with <a href="SHA256SUMS">SHA256SUMS</a> and <code>sha256sum -c</code>.`,
    html`<a href="datapackage.json">datapackage.json</a> beschreibt die Dateien maschinenlesbar. Mit
      <a href="SHA256SUMS">SHA256SUMS</a> und <code>sha256sum -c</code> lassen sich alle Dateien prüfen.`,
  ),
  verify: say('Check the signature', 'Signatur prüfen'),
  signed: (fingerprint: string) =>
    say(
      html`<a href="SHA256SUMS.sig">SHA256SUMS.sig</a> is its signature, which OpenSSH checks. The key has the
        fingerprint <code class="digest">${fingerprint}</code>. Keep <code>allowed_signers</code>, and get it
        again only when the key changes. <a href="snapshot.json">snapshot.json</a> is signed, too: it says of
        which day the files are.`,
      html`<a href="SHA256SUMS.sig">SHA256SUMS.sig</a> ist die Signatur dazu; OpenSSH prüft sie. Der Schlüssel
        hat den Fingerabdruck <code class="digest">${fingerprint}</code>. Bewahren Sie
        <code>allowed_signers</code> auf und laden Sie die Datei nur neu, wenn der Schlüssel wechselt. Auch
        <a href="snapshot.json">snapshot.json</a> ist signiert: Dort steht, von welchem Tag die Dateien sind.`,
    ),
  columns: (count: number) => say(`${count} columns, first rows`, `${count} Spalten, erste Zeilen`),
  column: say('Column', 'Spalte'),
  type: say('Type', 'Typ'),
  meaning: say('Meaning', 'Bedeutung'),
  key: say('key', 'Schlüssel'),
  mayBeEmpty: say('may be empty', 'kann leer sein'),
  types: {
    text: say('text', 'Text'),
    date: say('date (YYYY-MM-DD)', 'Datum (JJJJ-MM-TT)'),
    decimal: say('decimal', 'Dezimalzahl'),
    number: say('number', 'Zahl'),
    integer: say('integer', 'Ganzzahl'),
    boolean: say('true or false', 'true oder false'),
  } satisfies Record<ColumnType, unknown>,
  beginning: say('The CSV file begins like this:', 'So beginnt die CSV-Datei:'),
  digests: say('SHA-256 of each file', 'SHA-256 aller Dateien'),
  rows: (count: number, text: string) =>
    say(count === 1 ? '1 row' : `${text} rows`, count === 1 ? '1 Zeile' : `${text} Zeilen`),
  files: (count: number) => say(`${count} files`, `${count} Dateien`),
}))
