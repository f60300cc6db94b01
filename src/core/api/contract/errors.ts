/** The error table. Titles and slugs: src/core/api/decisions.md, Errors. */

import type { Texts } from './shape.ts'

/** Endpoints that share a page of the documentation and the `type` of their errors. */
export interface EndpointGroup {
  readonly id: string
  readonly title: Texts
  readonly lead: Texts
}

export interface ErrorRow {
  readonly status: number
  readonly slug: string
  readonly title: string
  readonly when: Texts
  /** The id of the group if it is not the endpoint's own. */
  readonly group?: string
}

export type Errors = Readonly<Record<string, ErrorRow>>

/** The group of errors without an endpoint. Its id: the interface, "Known `type` anchors". */
export const generalGroup: EndpointGroup = {
  id: 'index',
  title: { en: 'General errors', de: 'Allgemeine Fehler' },
  lead: {
    en: 'Errors that belong to no single endpoint.',
    de: 'Fehler, die nicht zu einem bestimmten Endpunkt gehören.',
  },
}

export const noIsin: ErrorRow = {
  group: 'index',
  status: 400,
  slug: 'noisin',
  title: 'No ISIN provided',
  when: { en: 'The path ends before the ISIN.', de: 'Der Pfad endet vor der ISIN.' },
}

export const unknownIsin: ErrorRow = {
  status: 404,
  slug: 'notfound',
  title: 'There is no fund with this ISIN: {isin}',
  when: {
    en: 'The ISIN is unknown. An ISIN with a wrong form or a wrong check digit is treated as unknown.',
    de: 'Die ISIN ist unbekannt. Eine ISIN mit falschem Aufbau oder falscher Prüfziffer gilt als unbekannt.',
  },
}

export const dataDenied: ErrorRow = {
  status: 403,
  slug: 'noapidataforfund',
  title: 'It is not permitted to get data for the fund with ISIN: {isin}',
  when: {
    en: 'The fund is known, but its data may not be published.',
    de: 'Der Fonds ist bekannt, seine Daten sind aber nicht freigegeben.',
  },
}

export const noData: ErrorRow = {
  status: 404,
  slug: 'nodata',
  title: 'No data found for the fund with ISIN: {isin}',
  when: {
    en: 'The fund is known, but it has no data of this kind.',
    de: 'Der Fonds ist bekannt, hat aber keine Daten dieser Art.',
  },
}

/** Errors that belong to no endpoint, in the order of the route table. All are of the general group. */
export const generalErrors = {
  wrongMethod: {
    status: 405,
    slug: 'wrongmethod',
    title: 'Method not allowed: {method}',
    when: {
      en: 'The method is not GET, HEAD or OPTIONS. The Allow header lists the allowed methods.',
      de: 'Die Methode ist nicht GET, HEAD oder OPTIONS. Der Header Allow nennt die erlaubten Methoden.',
    },
  },
  noEndpoint: {
    status: 404,
    slug: 'noendpoint',
    title: 'There is no such endpoint: {path}',
    when: {
      en: 'The API has no such path. If only the trailing slash is missing, a 308 redirects to the path with the slash.',
      de: 'Diesen Pfad gibt es in der API nicht. Fehlt nur der Schrägstrich am Ende, leitet die Antwort mit 308 auf den Pfad mit Schrägstrich um.',
    },
  },
  wrongFormat: {
    status: 400,
    slug: 'wrongformat',
    title: 'Unsupported format: {format}',
    when: {
      en: 'The parameter format has a value other than json or xml; for prices, csv is supported, too.',
      de: 'Der Parameter format hat einen anderen Wert als json oder xml; bei Preisen ist auch csv möglich.',
    },
  },
  wrongLanguage: {
    status: 400,
    slug: 'wronglanguage',
    title: 'Unsupported language: {language}',
    when: {
      en: 'The endpoint offers a choice of language, and the parameter language has a value other than de or en.',
      de: 'Der Endpunkt bietet eine Sprachauswahl, und der Parameter language hat einen anderen Wert als de oder en.',
    },
  },
} as const satisfies Readonly<Record<string, ErrorRow>>
