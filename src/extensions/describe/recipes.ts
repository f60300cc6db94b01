/** Programs for each question about fund prices, by tool. test/downloads/recipes.test.ts runs them. */

import type { SitePageSource } from '../../core/api/contract/page.ts'
import type { Language } from '../../core/api/routes/table.ts'
import { addDays, mondayOf } from '../../core/system/days.ts'
import { html, type Html } from '../../core/layout/html.ts'
import { namedCode, placeholder, tabs } from './site.ts'
import { docWords } from './wording.ts'

interface RecipeFacts {
  readonly api: string
  readonly downloads: string
  /** The folder of the funds' pages and lists. */
  readonly funds: string
  /** A fund with prices, and another one if there is one. */
  readonly isin: string
  readonly other: string
  /** ISO 8601. A Sunday without a price, a day two weeks before it, and a year before the newest price. */
  readonly sunday: string
  readonly twoWeeksBefore: string
  readonly yearAgo: string
  readonly newest: string
}

/** Every price of a fund: bounds that no price lies beyond. */
const always = '1900-01-01/2100-01-01'
const programs = ['curl', 'pandas', 'R', 'Excel', 'Google Sheets', 'DuckDB', 'SQLite'] as const
type Program = (typeof programs)[number]
type Code = (facts: RecipeFacts, language: Language) => string

/** A formula with the names and the marks of each language. @param name of a function: English, German */
const formula =
  (text: (name: (en: string, de: string) => string, next: string, facts: RecipeFacts) => string): Code =>
  (facts, language) =>
    text((en, de) => (language === 'de' ? de : en), language === 'de' ? '; ' : ', ', facts)

/** A query that reads CSV, and goes on from the table `Typed`. @param numbers columns */
const query = (address: string, numbers: readonly string[], steps: readonly string[], result: string) => `let
    Source = Csv.Document(
        Web.Contents("${address}"),
        [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]
    ),
    Rows = Table.PromoteHeaders(Source, [PromoteAllScalars = true]),
    Typed = Table.TransformColumnTypes(
        Rows,
        {{"date", type date}, ${numbers.map((name) => `{"${name}", type number}`).join(', ')}},
        "en-US"
    )${steps.map((step) => `,\n    ${step}`).join('')}
in
    ${result}`

const history = ({ api, isin }: RecipeFacts) => `${api}/prices-historic/${isin}/${always}/?format=csv`
const lastYear = ({ api, isin, yearAgo, newest }: RecipeFacts) =>
  `${api}/prices-historic/${isin}/${yearAgo}/${newest}/?format=csv`
const upToSunday = ({ api, isin, twoWeeksBefore, sunday }: RecipeFacts) =>
  `${api}/prices-historic/${isin}/${twoWeeksBefore}/${sunday}/?format=csv`

const recipes = {
  newest: {
    curl: ({ api, isin }) => `curl -fsS '${api}/prices-current/${isin}/' |
  jq -r '.prices | "\\(.date) \\(.net_asset_value.value)"'`,
    pandas: ({ api, isin }) => `import pandas as pd

price = pd.read_csv("${api}/prices-current/${isin}/?format=csv").iloc[0]
print(price["date"], price["net_asset_value"])`,
    R: ({ api, isin }) => `price <- read.csv("${api}/prices-current/${isin}/?format=csv")
print(price[, c("date", "net_asset_value")])`,
    Excel: formula(
      (name, next, { downloads, isin }) =>
        `=${name('NUMBERVALUE', 'ZAHLENWERT')}(${name('WEBSERVICE', 'WEBDIENST')}("${downloads}/${isin}/nav.txt")${next}".")`,
    ),
    'Google Sheets': formula(
      (_, next, { downloads, isin }) => `=IMPORTDATA("${downloads}/${isin}/nav.txt"${next}","${next}"en_US")`,
    ),
  },
  day: {
    curl: (facts) => `curl -fsS '${upToSunday(facts)}' |
  awk -F, 'NR > 1 { last = $1 " " $4 } END { print last }'`,
    pandas: (facts) => `import pandas as pd

prices = pd.read_csv("${history(facts)}", parse_dates=["date"], index_col="date")
print(prices["net_asset_value"].asof("${facts.sunday}"))`,
    R: (facts) => `prices <- read.csv("${upToSunday(facts)}")
print(tail(prices[, c("date", "net_asset_value")], 1))`,
    Excel: formula((name, next, facts) => {
      const text = `${name('WEBSERVICE', 'WEBDIENST')}("${upToSunday(facts)}")`
      const line = `${name('TEXTAFTER', 'TEXTNACH')}(${text}${next}${name('CHAR', 'ZEICHEN')}(10)${next}-2)`
      const cells = `${name('TEXTSPLIT', 'TEXTTEILEN')}(${line}${next}",")`
      return `=${name('NUMBERVALUE', 'ZAHLENWERT')}(INDEX(${cells}${next}4)${next}".")`
    }),
    'Google Sheets': formula(
      (_, next, facts) => `=CHOOSEROWS(IMPORTDATA("${upToSunday(facts)}"${next}","${next}"en_US")${next}-1)`,
    ),
    DuckDB: ({ downloads, isin, sunday }) => `SELECT date, net_asset_value
FROM '${downloads}/prices.parquet'
WHERE isin = '${isin}' AND date <= DATE '${sunday}'
ORDER BY date DESC
LIMIT 1;`,
  },
  'month-ends': {
    curl: (facts) => `curl -fsS '${history(facts)}' |
  awk -F, 'NR > 1 {
    month = substr($1, 1, 7)
    if (line != "" && month != before) print line
    before = month
    line = $1 " " $4
  } END { print line }'`,
    pandas: (facts) => `import pandas as pd

prices = pd.read_csv("${history(facts)}", parse_dates=["date"], index_col="date")
ends = prices["net_asset_value"].groupby(prices.index.to_period("M")).tail(1)
print(ends.to_string())`,
    R: (facts) => `prices <- read.csv("${history(facts)}")
ends <- !duplicated(substr(prices$date, 1, 7), fromLast = TRUE)
print(prices[ends, c("date", "net_asset_value")], row.names = FALSE)`,
    Excel: (facts) =>
      query(
        history(facts),
        ['net_asset_value'],
        [
          'Months = Table.AddColumn(Typed, "month", each Date.EndOfMonth([date]), type date)',
          `Ends = Table.Group(
        Months,
        {"month"},
        {
            {"date", each List.Last([date]), type date},
            {"net_asset_value", each List.Last([net_asset_value]), type number}
        }
    )`,
        ],
        'Ends',
      ),
    DuckDB: ({ downloads, isin }) => `SELECT max(date) AS day, arg_max(net_asset_value, date) AS nav
FROM '${downloads}/prices.parquet'
WHERE isin = '${isin}'
GROUP BY date_trunc('month', date)
ORDER BY day;`,
  },
  return: {
    curl: (facts) => `curl -fsS '${lastYear(facts)}' |
  awk -F, 'NR == 2 { first = $4 } { last = $4 } END { printf "%.2f %%\\n", (last / first - 1) * 100 }'`,
    pandas: (facts) => `import pandas as pd

navs = pd.read_csv("${lastYear(facts)}")["net_asset_value"]
print(f"{(navs.iloc[-1] / navs.iloc[0] - 1) * 100:.2f} %")`,
    R: (facts) => `navs <- read.csv("${lastYear(facts)}")$net_asset_value
cat(sprintf("%.2f %%\\n", (tail(navs, 1) / navs[1] - 1) * 100))`,
    Excel: (facts) =>
      query(
        lastYear(facts),
        ['net_asset_value'],
        ['Return = List.Last(Typed[net_asset_value]) / List.First(Typed[net_asset_value]) - 1'],
        'Return',
      ),
    DuckDB: ({ downloads, yearAgo, newest }) => `SELECT isin,
  round((arg_max(net_asset_value, date) / arg_min(net_asset_value, date) - 1) * 100, 2) AS percent
FROM '${downloads}/prices.parquet'
WHERE date BETWEEN DATE '${yearAgo}' AND DATE '${newest}'
GROUP BY isin
ORDER BY isin;`,
  },
  'total-return': {
    curl: (facts) => `curl -fsS '${lastYear(facts)}' |
  awk -F, 'NR == 2 { first = $1; from = $4 } { last = $1; to = $4 }
    END { printf "[\\"%s\\", \\"%s\\", %.12f]", first, last, to / from }' |
  jq -r --slurpfile paid \\
    <(curl -fsS '${facts.funds}/${facts.isin}/distributions.json') '
    . as [$first, $last, $growth] | $paid[0]
    | [(.distributions[] | select(.reinvested_on > $first and .reinvested_on <= $last)
        | 1 + (.amount | tonumber) / (.net_asset_value | tonumber)),
      (.splits[] | select(.ex_date > $first and .ex_date <= $last) | .factor | tonumber)]
    | reduce .[] as $factor ($growth; . * $factor)
    | "\\((. - 1) * 10000 | round / 100) %"'`,
    pandas: (facts) => `import json
from urllib.request import urlopen

import pandas as pd

navs = pd.read_csv("${lastYear(facts)}", index_col="date")["net_asset_value"]
with urlopen("${facts.funds}/${facts.isin}/distributions.json") as answer:
    paid = json.load(answer)

first, last = navs.index[0], navs.index[-1]
growth = navs.iloc[-1] / navs.iloc[0]
for each in paid["distributions"]:
    if each["reinvested_on"] and first < each["reinvested_on"] <= last:
        growth *= 1 + float(each["amount"]) / float(each["net_asset_value"])
for each in paid["splits"]:
    if first < each["ex_date"] <= last:
        growth *= float(each["factor"])
print(f"{(growth - 1) * 100:.2f} %")`,
    R: ({ downloads }) => `figures <- read.csv("${downloads}/computed_figures.csv")
print(figures[, c("isin", "date", "total_return_1y")], row.names = FALSE)`,
    DuckDB: ({ downloads }) => `SELECT isin, date, total_return_1y, total_return_3y, total_return_5y
FROM '${downloads}/computed_figures.parquet'
ORDER BY isin;`,
  },
  several: {
    curl: ({ api, isin, other }) => `curl -fsS '${api}/prices-current-all/?format=csv' |
  awk -F, '$1 == "${isin}" || $1 == "${other}" { print $1, $2, $5 }'`,
    pandas: ({ api, isin, other }) => `import pandas as pd

def navs(isin):
    url = f"${api}/prices-historic/{isin}/${always}/?format=csv"
    return pd.read_csv(url, parse_dates=["date"], index_col="date")["net_asset_value"]

print(pd.DataFrame({isin: navs(isin) for isin in ["${isin}", "${other}"]}).tail(3))`,
    R: ({ api, isin, other }) => `history <- function(isin) {
  url <- paste0("${api}/prices-historic/", isin, "/${always}/?format=csv")
  cbind(isin, read.csv(url)[, c("date", "net_asset_value")])
}
prices <- do.call(rbind, lapply(c("${isin}", "${other}"), history))
print(aggregate(net_asset_value ~ isin, prices, function(navs) tail(navs, 1)))`,
    Excel: ({ api }) =>
      query(
        `${api}/prices-current-all/?format=csv`,
        ['issue_price', 'repurchase_price', 'net_asset_value'],
        [],
        'Typed',
      ),
    'Google Sheets': formula(
      (_, next, { api }) => `=IMPORTDATA("${api}/prices-current-all/?format=csv"${next}","${next}"en_US")`,
    ),
    DuckDB: ({ downloads }) => `SELECT isin, max(date) AS day, arg_max(net_asset_value, date) AS nav
FROM '${downloads}/prices.parquet'
GROUP BY isin
ORDER BY isin;`,
  },
  history: {
    curl: (facts) => `curl -fsSo ${facts.isin}.csv '${history(facts)}'`,
    pandas: (facts) => `import pandas as pd

prices = pd.read_csv("${history(facts)}", parse_dates=["date"], index_col="date")
print(prices["net_asset_value"].tail(1))`,
    R: (facts) => `prices <- read.csv("${history(facts)}", colClasses = c(date = "Date"))
print(tail(prices, 1))
plot(net_asset_value ~ date, prices, type = "l")`,
    Excel: (facts) =>
      query(history(facts), ['issue_price', 'repurchase_price', 'net_asset_value'], [], 'Typed'),
    'Google Sheets': formula(
      (_, next, { downloads, isin }) =>
        `=IMPORTDATA("${downloads}/${isin}/prices.csv"${next}","${next}"en_US")`,
    ),
    DuckDB: ({ downloads, isin }) => `SELECT date, net_asset_value
FROM '${downloads}/prices.parquet'
WHERE isin = '${isin}'
ORDER BY date;`,
  },
  all: {
    curl: ({ downloads }) => `curl -fsSO '${downloads}/prices.csv'
curl -fsS '${downloads}/SHA256SUMS' | grep '  prices.csv$' | sha256sum -c`,
    pandas: ({ downloads, isin }) => `import pandas as pd

prices = pd.read_csv("${downloads}/prices.csv", parse_dates=["date"])
navs = prices.pivot(index="date", columns="isin", values="net_asset_value")
print(navs["${isin}"].dropna().tail(1))`,
    R: ({ downloads }) => `prices <- read.csv("${downloads}/prices.csv", colClasses = c(date = "Date"))
print(table(prices$isin))`,
    DuckDB: ({ downloads }) => `SELECT isin, count(*) AS prices, min(date) AS first, max(date) AS last
FROM '${downloads}/prices.parquet'
GROUP BY isin
ORDER BY isin;`,
    SQLite: ({ downloads }) => `curl -fsSO '${downloads}/fund-data.sqlite'
sqlite3 -csv fund-data.sqlite 'SELECT isin, name, max(date), net_asset_value
  FROM prices JOIN funds USING (isin) GROUP BY isin'`,
  },
} as const satisfies Readonly<Record<string, Partial<Record<Program, Code>>>>

/** Blocks of a guide by placeholder, `{{recipeNewest}}`: for each question the programs that answer it. */
export function recipeBlocks(
  source: SitePageSource,
  isins: readonly [string, string],
  language: Language,
): Readonly<Record<string, Html>> {
  const facts = factsOf(source, isins)
  const blocks = Object.entries(recipes).map(([question, codes]) => {
    const panels = programs.flatMap((program): (readonly [string, Html])[] => {
      const code = (codes as Partial<Record<Program, Code>>)[program]
      const name = `${question}-${program.toLowerCase().replace(' ', '-')}`
      return code === undefined ? [] : [[program, namedCode(name, program, code(facts, language))]]
    })
    const panel = tabs(
      { id: `recipe-${question}`, legend: docWords[language].program, remembered: 'program' },
      panels,
    )
    return [placeholder('recipe', question), panel] as const
  })
  return { ...Object.fromEntries(blocks), recipePortfolioPerformance: portfolioPerformance(facts, language) }
}

/** The settings of a security in Portfolio Performance, by the labels of its fields. `{ISIN}` is a placeholder of that program. */
function portfolioPerformance({ downloads }: RecipeFacts, language: Language): Html {
  const w = docWords[language].portfolioPerformance
  const url = `${downloads}/{ISIN}/{ISIN}-prices.json`
  return html`<dl data-recipe="portfolio-performance">
    <dt>${w.provider}</dt>
    <dd><code data-setting="provider">JSON</code></dd>
    <dt>${w.url}</dt>
    <dd><code data-setting="url">${url}</code></dd>
    <dt>${w.date}</dt>
    <dd><code data-setting="date">$[*].date</code></dd>
    <dt>${w.close}</dt>
    <dd><code data-setting="close">$[*].net_asset_value</code></dd>
    <dt>${w.dateFormat}</dt>
    <dd>${w.leaveEmpty}</dd>
  </dl>`
}

function factsOf(
  { baseUrl, asOf, funds }: SitePageSource,
  [isin, other]: readonly [string, string],
): RecipeFacts {
  const newest = funds.find((fund) => fund.isin === isin)?.newest?.date ?? asOf
  const sunday = addDays(mondayOf(newest), -8)
  return {
    api: `${baseUrl}/api/v1`,
    downloads: `${baseUrl}/downloads/latest`,
    funds: `${baseUrl}/funds`,
    isin,
    other,
    newest,
    sunday,
    twoWeeksBefore: addDays(sunday, -14),
    yearAgo: addDays(newest, -365),
  }
}
