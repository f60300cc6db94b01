/** A request of the explorer as a program, by language. Pure. test/site/browser/explorer.test.ts runs them. */

export interface Request {
  /** As `URL` writes it: no quotation mark and no backslash is in it. An apostrophe would end a text. */
  readonly url: string
  readonly kind: AnswerKind
}

export const answerKinds = ['json', 'xml', 'csv', 'text'] as const
export type AnswerKind = (typeof answerKinds)[number]

/** Texts of the page. */
export interface Hints {
  /** Where Excel takes the program. */
  readonly excel: string
}

/** By the name on its tab. */
export const programs: Readonly<Record<string, (request: Request, hints: Hints) => string>> = {
  curl: ({ url }) => `curl '${url}'`,
  JavaScript: ({ url, kind }) => {
    const name = kind === 'json' ? 'data' : 'text'
    return `const response = await fetch('${url}')
if (!response.ok) throw new Error(\`\${response.status} \${response.statusText}\`)
const ${name} = await response.${kind === 'json' ? 'json' : 'text'}()
console.log(${name})`
  },
  Python: ({ url, kind }) => {
    switch (kind) {
      case 'json':
        return `import json
from urllib.request import urlopen

with urlopen("${url}") as response:
    data = json.load(response)
print(data)`
      case 'csv':
        return `import csv
from urllib.request import urlopen

with urlopen("${url}") as response:
    lines = response.read().decode().splitlines()
for row in csv.DictReader(lines):
    print(row)`
      case 'xml':
      case 'text':
        return `from urllib.request import urlopen

with urlopen("${url}") as response:
    text = response.read().decode()
print(text)`
      default:
        return kind satisfies never
    }
  },
  R: ({ url, kind }) => {
    switch (kind) {
      case 'json':
        return `# install.packages("jsonlite")
data <- jsonlite::fromJSON("${url}")
str(data)`
      case 'csv':
        return `rows <- read.csv("${url}")
print(rows)`
      case 'xml':
      case 'text':
        return `text <- readLines("${url}", encoding = "UTF-8", warn = FALSE)
cat(text, sep = "\\n")`
      default:
        return kind satisfies never
    }
  },
  Excel: ({ url, kind }, { excel }) => `// ${excel}
${queryOf(kind, `Web.Contents("${url}")`)}`,
}

/** In the language of Power Query. */
function queryOf(kind: AnswerKind, source: string): string {
  switch (kind) {
    case 'json':
      return `Json.Document(${source})`
    case 'xml':
      return `Xml.Document(${source})`
    case 'csv':
      return `let
    Source = ${source},
    Rows = Csv.Document(Source, [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv])
in
    Table.PromoteHeaders(Rows, [PromoteAllScalars = true])`
    case 'text':
      return `Text.FromBinary(${source}, TextEncoding.Utf8)`
    default:
      return kind satisfies never
  }
}

/** `'` may be in a path, and would end the text of a shell. */
export const addressIn = (url: URL): string => url.href.replaceAll("'", '%27')
