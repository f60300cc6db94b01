/** Programs that ask for a date range, by language. test/site/docs/clients.test.ts runs them. */

import type { SitePageSource } from '../../core/api/contract/page.ts'
import { addDays } from '../../core/system/days.ts'
import type { Html } from '../../core/layout/html.ts'
import { namedCode, openApiKey, placeholder } from './site.ts'

interface ClientFacts {
  readonly baseUrl: string
  readonly isin: string
  /** ISO 8601: two weeks up to the newest price. */
  readonly from: string
  readonly to: string
}

const csvPath = ({ isin, from, to }: ClientFacts) =>
  `/api/v1/prices-historic/${isin}/${from}/${to}/?format=csv`

/** By name, with a label for screen readers. */
const clients: Readonly<Record<string, readonly [label: string, code: (facts: ClientFacts) => string]>> = {
  'openapi-fetch-setup': [
    'Shell: openapi-typescript',
    ({ baseUrl }) => `npm install openapi-fetch
npm install --save-dev openapi-typescript typescript
npx openapi-typescript ${baseUrl}/${openApiKey} --output fund-data.ts`,
  ],
  'openapi-fetch': [
    'TypeScript: openapi-fetch',
    ({ baseUrl, isin, from, to }) => `import createClient from 'openapi-fetch'
import type { paths } from './fund-data'

const client = createClient<paths, 'application/json'>({
  baseUrl: '${baseUrl}',
})
const path = { isin: '${isin}', datefrom: '${from}', dateto: '${to}' }
const { data, error } = await client.GET(
  '/api/v1/prices-historic/{isin}/{datefrom}/{dateto}/',
  { params: { path } },
)
if (!data) throw new Error(error?.title)
for (const { date, net_asset_value } of data.prices)
  console.log(date, Number(net_asset_value.value.replace(',', '.')))`,
  ],
  'hey-api-setup': [
    'Shell: hey-api',
    ({ baseUrl }) => `npm install --save-dev @hey-api/openapi-ts typescript
npx @hey-api/openapi-ts --input ${baseUrl}/${openApiKey} --output fund-data`,
  ],
  'hey-api': [
    'TypeScript: hey-api',
    ({ isin, from, to }) => `import { pricesHistoric } from './fund-data'

const path = { isin: '${isin}', datefrom: '${from}', dateto: '${to}' }
const { data, error } = await pricesHistoric({ path })
if (!data) throw new Error(error?.title)
for (const { date, net_asset_value } of data.prices)
  console.log(date, Number(net_asset_value.value.replace(',', '.')))`,
  ],
  python: [
    'Python',
    (facts) => `import csv
import json
from decimal import Decimal
from urllib.error import HTTPError
from urllib.request import urlopen

def get(path):
    try:
        with urlopen("${facts.baseUrl}" + path) as response:
            return response.read().decode()
    except HTTPError as error:
        raise SystemExit(json.load(error)["title"])

text = get("${csvPath(facts)}")
for price in csv.DictReader(text.splitlines()):
    print(price["date"], Decimal(price["net_asset_value"]))`,
  ],
  r: [
    'R',
    ({ baseUrl, isin, from, to }) => `prices <- function(isin, from, to) {
  path <- paste("api/v1/prices-historic", isin, from, to, "?format=csv", sep = "/")
  read.csv(paste0("${baseUrl}/", path), colClasses = c(date = "Date"))
}

rows <- prices("${isin}", "${from}", "${to}")
print(rows[, c("date", "net_asset_value")], row.names = FALSE)`,
  ],
  java: [
    'Java',
    (facts) => `import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

public class Prices {
    public static void main(String[] args) throws Exception {
        var address = URI.create("${facts.baseUrl}" +
            "${csvPath(facts)}");
        var request = HttpRequest.newBuilder(address).build();
        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        if (response.statusCode() != 200) throw new IllegalStateException(response.body());
        response.body().lines().skip(1).map(line -> line.split(",")).forEach(cells ->
            System.out.println(cells[0] + " " + new BigDecimal(cells[3])));
    }
}`,
  ],
  excel: [
    'Excel',
    ({ baseUrl }) => `(isin as text, from as date, to as date) as table =>
let
    Day = (day as date) => Date.ToText(day, "yyyy-MM-dd"),
    Path = Text.Combine({"api/v1/prices-historic", isin, Day(from), Day(to), ""}, "/"),
    Answer = Web.Contents(
        "${baseUrl}",
        [RelativePath = Path, Query = [format = "csv"]]
    ),
    Source = Csv.Document(
        Answer,
        [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]
    ),
    Rows = Table.PromoteHeaders(Source, [PromoteAllScalars = true]),
    Typed = Table.TransformColumnTypes(
        Rows,
        {{"date", type date}, {"net_asset_value", type number}},
        "en-US"
    )
in
    Typed`,
  ],
}

/** Blocks of the guide by placeholder: `{{clientHeyApiSetup}}`. @param isin a fund with prices, if there is one */
export function clientBlocks(
  { baseUrl, funds, asOf }: SitePageSource,
  isin: string,
): Readonly<Record<string, Html>> {
  const to = funds.find((fund) => fund.isin === isin)?.newest?.date ?? asOf
  const facts = { baseUrl, isin, from: addDays(to, -13), to }
  return Object.fromEntries(
    Object.entries(clients).map(([name, [label, code]]) => [
      placeholder('client', name),
      namedCode(`client-${name}`, label, code(facts)),
    ]),
  )
}
