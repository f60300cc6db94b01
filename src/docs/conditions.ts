/** When an error is the answer, by its title in the error table. Source: the interface, error table; decisions.md. */

import type { Language, Problem } from '../routes/table.ts'

/** @returns '' for an error that has no words here */
export const conditionOf = ({ title }: Problem, language: Language): string =>
  conditions[title]?.[language] ?? ''

type InBoth = Readonly<Record<Language, string>>

const young: InBoth = {
  en: 'The fund is younger than one year: its performance may not be shown yet. The day that counts is the as-of date of the snapshot.',
  de: 'Der Fonds ist jünger als ein Jahr: Seine Wertentwicklung darf noch nicht gezeigt werden. Es zählt der Stichtag des Datenstands.',
}
const noPerformance: InBoth = {
  en: 'There is no such performance of this fund, it may not be shown, or nobody has heard of the ISIN.',
  de: 'Zu diesem Fonds gibt es keine solche Wertentwicklung, sie darf nicht gezeigt werden, oder die ISIN ist unbekannt.',
}

const conditions: Readonly<Record<string, InBoth | undefined>> = {
  'No ISIN provided': {
    en: 'The path ends before its ISIN.',
    de: 'Der Pfad endet vor seiner ISIN.',
  },
  'Wrong or missing date parameters': {
    en: 'A date is missing, is not written YYYY-MM-DD, is no day of the calendar, or the range ends before it begins.',
    de: 'Ein Datum fehlt, ist nicht JJJJ-MM-TT geschrieben, ist kein Tag des Kalenders, oder der Zeitraum endet vor seinem Anfang.',
  },
  'Unsupported format: {format}': {
    en: 'The parameter format has another value than json or xml.',
    de: 'Der Parameter format hat einen anderen Wert als json oder xml.',
  },
  'Unsupported language: {language}': {
    en: 'The parameter language has another value than de or en, on an endpoint with languages.',
    de: 'Der Parameter language hat einen anderen Wert als de oder en, auf einem Endpunkt mit Sprachen.',
  },
  'There is no such endpoint: {path}': {
    en: 'The path is none of this API. A path that only lacks its closing slash is answered with a 308 instead.',
    de: 'Der Pfad gehört nicht zu dieser API. Fehlt einem Pfad nur der Schrägstrich am Ende, so ist die Antwort ein 308.',
  },
  'Method not allowed: {method}': {
    en: 'The method is not GET, HEAD or OPTIONS. The header Allow names them.',
    de: 'Die Methode ist nicht GET, HEAD oder OPTIONS. Der Header Allow nennt sie.',
  },
  'There is no fund with this ISIN: {isin}': {
    en: 'Nobody has heard of the ISIN; one of wrong form or with a wrong check digit counts as unknown.',
    de: 'Die ISIN ist unbekannt; eine von falscher Form oder mit falscher Prüfziffer gilt als unbekannt.',
  },
  'It is not permitted to get data for the fund with ISIN: {isin}': {
    en: 'The fund is known, but none of its data may be given out.',
    de: 'Der Fonds ist bekannt, aber seine Daten dürfen nicht herausgegeben werden.',
  },
  'No data found for the fund with ISIN: {isin}': {
    en: 'The fund is known, but it has no data of this kind.',
    de: 'Der Fonds ist bekannt, hat aber keine Daten dieser Art.',
  },
  'Not permitted to get data for the fund with ISIN: {isin}': {
    en: 'The fund is known, but its prices may not be given out.',
    de: 'Der Fonds ist bekannt, aber seine Preise dürfen nicht herausgegeben werden.',
  },
  'No current prices for the fund with ISIN: {isin}': {
    en: 'The fund has no prices, or nobody has heard of the ISIN.',
    de: 'Der Fonds hat keine Preise, oder die ISIN ist unbekannt.',
  },
  'No historic prices for the fund with ISIN: {isin}': {
    en: 'The fund has no prices at all, or nobody has heard of the ISIN. A range without prices of a fund that has some is a 200 with an empty list.',
    de: 'Der Fonds hat gar keine Preise, oder die ISIN ist unbekannt. Ein Zeitraum ohne Preise, bei einem Fonds mit Preisen, ist ein 200 mit leerer Liste.',
  },
  'No performance data (years) for the fund: {isin}': noPerformance,
  'No performance data (legal) found for this fund: {isin}': noPerformance,
  'No performance data (full) found for this fund: {isin}': noPerformance,
  'Not permitted to get performance data for the fund with ISIN: {isin}, because the fund is not yet one year old':
    young,
  'There is no investment structure type: {type}': {
    en: 'The type in the path is none of those listed.',
    de: 'Die Art im Pfad ist keine der aufgezählten.',
  },
  'No investment structure data found for this fund and type: {isin}, {type}': {
    en: 'The fund has no data of this type, they may not be given out, or nobody has heard of the ISIN.',
    de: 'Der Fonds hat keine Daten dieser Art, sie dürfen nicht herausgegeben werden, oder die ISIN ist unbekannt.',
  },
}
