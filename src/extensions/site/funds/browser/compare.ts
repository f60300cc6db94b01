/** The comparison in a browser: funds from the address, their prices from the API, chart and table. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { depthOf, lineChart, linePath, mostCompared, plotOf } from '../chart/charts.ts'
import { dayNumber, isoOf } from '../../../../core/system/day-number.ts'
import { shortened } from '../chart/end-names.ts'
import { dayIn, fixedIn } from '../../../../core/layout/formats.ts'
import { followAddress, parameterOf, setParameters } from '../../../../core/layout/browser/address.ts'
import { fillTable, fundChip, pageLink, waitingChip } from './compared-table.ts'
import { type FundComparison, comparisonOf, type History, loners } from './comparison.ts'
import { fetchFunds, type ListedFund, markOf } from './fund-list.ts'
import { lineKey } from './keys.ts'
import { lineEnds } from './line-ends.ts'
import { messageWith } from '../../../../core/layout/browser/message.ts'
import { fundPicker } from './picker.ts'
import { fetchActions, fetchPrices, yearOf, yearToAsk } from './prices.ts'
import { firstDayOf } from './first-day.ts'
import { chosenRange, freeRanges, limitRanges, onRange } from './ranges.ts'
import { sayOf } from './say.ts'
import { exploreChart, nearestDay, type TipRow } from './stage.ts'
import { stretchChange, stretchText } from './stretch.ts'

/** Five years: the first period that MiFID II asks for. */
const standardRange = '5Y'
/** Days that may lie between the newest price of all funds and the last day that they have in common. */
const longestWait = 31
/** Before every price. */
const firstYear = 1900
/** Of a message, by its kind. */
const classes = { fault: 'callout fault', notice: 'callout', hint: 'quiet' }

const language: Language = document.documentElement.lang === 'de' ? 'de' : 'en'
const root = document.getElementById('compare')
if (root !== null) {
  root.hidden = false
  void compareFunds(root)
}

interface Message {
  readonly text: string | readonly (Node | string)[]
  /** `fault`: what the reader asked for cannot be shown. `notice`: how to read what is. `hint`: what to do next. */
  readonly kind: keyof typeof classes
  /** True if it explains lines: without one, it is not told. */
  readonly isOfLines?: true
  /** What the reader can do about it. */
  readonly way?: { readonly label: string; readonly press: () => void }
}

async function compareFunds(root: HTMLElement): Promise<void> {
  const page = pageOf(root)
  const { part, say } = page
  const tell = teller(page)
  const figure = part('figure')
  const chips = part('.chips')
  const compared = part<HTMLTableElement>('#compared')
  const giveUp = (message: Omit<Message, 'kind'>) => {
    part('.search').hidden = true
    for (const each of root.querySelectorAll<HTMLElement>('#offers')) each.hidden = true
    figure.hidden = true
    chips.replaceChildren()
    tell([{ ...message, kind: 'fault' }])
  }
  if (location.protocol === 'file:') {
    giveUp({ text: say('folder') })
    return
  }
  const offers = root.querySelector<HTMLElement>('#offers')
  const offer = (isOffered: boolean) => {
    if (offers !== null) offers.hidden = !isOffered
  }
  // Chips and chart take their places at once: what is below does not move when the funds arrive.
  const waiting = isinsInAddress().slice(0, mostCompared)
  chips.replaceChildren(...waiting.map(waitingChip))
  keepRoom(figure, waiting.length)
  offer(waiting.length === 0)
  figure.setAttribute('aria-busy', 'true')
  figure.hidden = waiting.length === 0
  const list = await fetchFunds(root.dataset['list'] ?? '').catch(() => null)
  if (list === null) {
    giveUp({ text: say('failedFunds'), way: { label: say('again'), press: () => location.reload() } })
    return
  }
  const comparable = list.filter((fund) => fund.not_comparable === null)
  const draw = drawer(
    page,
    comparable.map(({ name }) => name),
  )
  const histories = priceHistories(root.dataset['prices'] ?? '', root.dataset['actions'] ?? '')
  const mergers = JSON.parse(root.dataset['mergers'] ?? '[]') as readonly Merger[]
  const choose = (isins: readonly string[]) => {
    setParameters({ isins: isins.join(',') }, 'new')
    void show()
  }
  const asked = () => fundsAsked(list, mergers, say, choose)
  const isinsAsked = () => asked().funds.map(({ isin }) => isin)
  const picker = fundPicker({
    place: root,
    say,
    load: () => Promise.resolve(list),
    mayPick: (fund) => fund.not_comparable === null,
    onPick: ({ isin }) => choose([...isinsAsked(), isin]),
  })
  const styleOf = stylesByFund()

  let turn = 0
  let shownIsins = ''
  const show = async () => {
    const mine = ++turn
    const { funds, told } = asked()
    const isins = funds.map(({ isin }) => isin).join()
    // Other funds may have a longer history.
    if (isins !== shownIsins) freeRanges(figure)
    shownIsins = isins
    const range = chosenRange(figure, standardRange)
    const styles = styleOf(funds)
    const chipOf = (fund: ListedFund, place: number) => {
      const onRemove = () => {
        choose(isinsAsked().filter((isin) => isin !== fund.isin))
        // The focus goes to what stands there now.
        const left = chips.querySelectorAll('button')
        ;(left[Math.min(place, left.length - 1)] ?? part('#search')).focus()
      }
      return fundChip(fund, { language, say, onRemove })
    }
    chips.replaceChildren(...funds.map(chipOf))
    picker.leaveOut(funds)
    tell(told)
    figure.setAttribute('aria-busy', 'true')
    // Figures of the period before would stand beside the button of another one.
    root.classList.add('waiting')
    figure.hidden = funds.length === 0
    keepRoom(figure, funds.length)
    compared.hidden ||= funds.length === 0
    offer(funds.length === 0)
    const result = await load(funds, range, histories)
    const { comparison, loaded, oldest, newest } = result
    // A slow answer must not win over a later choice.
    if (mine !== turn) return
    if (comparison !== null) {
      limitRanges(figure, oldest, newest)
      // A range that is disabled now has shown the whole history.
      chosenRange(figure, standardRange)
    }
    figure.removeAttribute('aria-busy')
    root.classList.remove('waiting')
    const faults = faultsOf(result, say, () => void show())
    // Screen readers read again what is told again.
    const stillTold = comparison === null ? told.filter(({ isOfLines }) => isOfLines !== true) : told
    if (faults.length > 0) tell([...stillTold, ...faults])
    draw(
      comparison,
      loaded,
      loaded.map((fund) => styles(fund)),
    )
    const columns = funds.map((fund) => ({
      fund,
      style: styles(fund),
      figures: comparison?.funds[loaded.indexOf(fund)] ?? null,
    }))
    fillTable(compared, columns, { language, say })
    for (const each of root.querySelectorAll<HTMLElement>('[data-of=prices]'))
      each.hidden = comparison === null
    compared.hidden = funds.length === 0
    part('#notes').hidden = funds.length === 0
  }

  onRange(figure, standardRange, () => void show())
  followAddress(() => void show())
}

/** For the legend below a narrow chart: the day, and a line for each fund. */
function keepRoom(figure: HTMLElement, funds: number): void {
  figure.style.setProperty('--tip-lines', String(funds + 1))
}

/** A fund keeps its colour and dashes while others come and go. @returns the styles of the chosen funds */
function stylesByFund() {
  let known = new Map<string, number>()
  return (funds: readonly ListedFund[]) => {
    const kept = new Map(funds.flatMap(({ isin }) => (known.has(isin) ? [[isin, known.get(isin) ?? 0]] : [])))
    const free = Array.from({ length: mostCompared }, (_, style) => style).filter(
      (style) => ![...kept.values()].includes(style),
    )
    for (const { isin } of funds) if (!kept.has(isin)) kept.set(isin, free.shift() ?? 0)
    known = kept
    return ({ isin }: ListedFund) => kept.get(isin) ?? 0
  }
}

type Page = ReturnType<typeof pageOf>

function pageOf(root: HTMLElement) {
  return {
    part: <T extends Element = HTMLElement>(selector: string) => {
      const found = root.querySelector<T>(selector)
      if (found === null) throw new Error(`the page has no ${selector}`)
      return found
    },
    say: sayOf(root),
  }
}

/** @returns replaces all messages */
function teller({ part }: Page) {
  const lineOf = ({ text, kind, way }: Message) => {
    const line = document.createElement('p')
    line.className = classes[kind]
    line.append(...messageWith(text, way))
    return line
  }
  const tellIn = (place: HTMLElement, some: readonly Message[]) => place.replaceChildren(...some.map(lineOf))
  return (all: readonly Message[]) => {
    tellIn(
      part('#messages'),
      all.filter(({ kind }) => kind !== 'notice'),
    )
    // Below the chart, which stands on a phone's first screen.
    tellIn(
      part('#notices'),
      all.filter(({ kind }) => kind === 'notice'),
    )
  }
}

/** The funds in the address that may be compared, and messages about the others. */
function isinsInAddress(): string[] {
  const texts = parameterOf('isins')
    .toUpperCase()
    .split(/[,\s]+/)
  return [...new Set(texts.filter(Boolean))]
}

/** Of a fund that the list has no more. */
interface Merger {
  readonly isin: string
  /** ISO 8601 */
  readonly exDate: string
  readonly successorIsin: string
}

/** @param choose compares other funds */
function fundsAsked(
  list: readonly ListedFund[],
  mergers: readonly Merger[],
  say: Page['say'],
  choose: (isins: readonly string[]) => void,
) {
  const isins = isinsInAddress()
  const messageOfGone = (isin: string): Message => {
    const merger = mergers.find((one) => one.isin === isin)
    if (merger === undefined) return { text: say('unknown', { isin }), kind: 'fault' }
    const { exDate, successorIsin } = merger
    const day = dayIn(language, exDate)
    const successor = list.find((fund) => fund.isin === successorIsin)
    if (successor === undefined)
      return { text: say('merged', { fund: isin, successor: successorIsin, day }), kind: 'fault' }
    return withSuccessor(isin, successor, say('merged', { fund: isin, day, successor: '\n' }), 'fault')
  }
  /** @param text has a line break in place of the successor */
  const withSuccessor = (
    isin: string,
    successor: ListedFund,
    text: string,
    kind: Message['kind'],
  ): Message => {
    const [before = '', after = ''] = text.split('\n')
    const press = () => choose(isins.map((each) => (each === isin ? successor.isin : each)))
    const isOffered = successor.not_comparable === null && !isins.includes(successor.isin)
    return {
      text: [before, pageLink(successor, language), after],
      kind,
      ...(isOffered && { way: { label: say('successor'), press } }),
    }
  }
  const told: Message[] = []
  const funds = isins.flatMap((asked) => {
    const fund = list.find(({ isin }) => isin === asked)
    if (fund === undefined) told.push(messageOfGone(asked))
    else if (fund.not_comparable !== null)
      told.push({ text: say(fund.not_comparable, { fund: fund.name }), kind: 'fault' })
    return fund?.not_comparable === null ? [fund] : []
  })
  if (funds.length > mostCompared) told.push({ text: say('most'), kind: 'fault' })
  if (isins.length === 0) told.push({ text: say('none'), kind: 'notice' })
  if (funds.length === 1) told.push({ text: say('one'), kind: 'hint' })
  for (const { isin, name, end_date: day, successor: successorIsin } of funds.slice(0, mostCompared)) {
    const successor = list.find((fund) => fund.isin === successorIsin)
    if (successor === undefined || day === null) continue
    const text = say('merged', { fund: name, day: dayIn(language, day), successor: '\n' })
    told.push(withSuccessor(isin, successor, text, 'notice'))
  }
  const currencies = [...new Set(funds.slice(0, mostCompared).map(({ currency }) => currency))]
  if (currencies.length > 1)
    told.push({
      text: say('currencies', { currencies: currencies.sort().join(', ') }),
      kind: 'notice',
      isOfLines: true,
    })
  return { funds: funds.slice(0, mostCompared), told }
}

/** @returns the funds with loaded prices, and their comparison; null if they have no days in common */
async function load(
  funds: readonly ListedFund[],
  range: string,
  histories: ReturnType<typeof priceHistories>,
) {
  const newest = Math.min(...funds.map(({ price }) => dayNumber(price?.date ?? '')))
  const first = funds.length === 0 ? null : firstDayOf(range, newest)
  // The table tells of five years, whatever the chart shows.
  const told = first === null ? null : Math.min(first, firstDayOf(standardRange, newest) ?? first)
  // The last common day may be before the newest prices.
  const needed = told === null ? null : told - longestWait
  const answers = await Promise.all(
    funds.map(({ isin, price }) => histories(isin, needed, price?.date ?? '')),
  )
  const known = answers.filter((answer) => answer !== null)
  const loaded = funds.filter((_, index) => answers[index] !== null)
  const failed = funds.filter((fund) => !loaded.includes(fund))
  const comparison = comparisonOf(known, first)
  const { few, alone } = comparison === null ? loners(known, first) : { few: [], alone: [] }
  const at = (places: readonly number[]) => loaded.filter((_, place) => places.includes(place))
  const unpaid = loaded.filter(
    ({ accumulating }, place) => accumulating === false && known[place]?.actions.distributions.length === 0,
  )
  const cut = comparison === null ? [] : shorteners(loaded, known, told)
  /** No comparison of these funds begins earlier. */
  const oldest = Math.max(...known.map(({ prices }) => prices[0]?.day ?? NaN))
  return {
    comparison,
    loaded,
    failed,
    lonely: { few: at(few), alone: at(alone) },
    unpaid,
    cut,
    oldest,
    newest,
  }
}

/** Days that a weekend, holidays or a weekly price explain. Not of a fund that is marked. */
const usualGap = 10

interface Shortener {
  readonly fund: ListedFund
  readonly end: 'begins' | 'ends'
  /** Since 1970-01-01. */
  readonly day: number
}

/**
 * The funds that make a comparison shorter than the others have prices: those that begin last or end first.
 * @param first day that the chart or the table needs; null for the whole history
 */
function shorteners(
  funds: readonly ListedFund[],
  histories: readonly History[],
  first: number | null,
): readonly Shortener[] {
  const spans = funds.map((fund, place) => {
    const prices = histories[place]?.prices ?? []
    return { fund, from: prices[0]?.day ?? NaN, to: prices.at(-1)?.day ?? NaN }
  })
  const earliest = Math.max(first ?? -Infinity, Math.min(...spans.map(({ from }) => from)))
  const latest = Math.max(...spans.map(({ to }) => to))
  const begin = Math.max(...spans.map(({ from }) => from))
  const end = Math.min(...spans.map(({ to }) => to))
  const late = begin > earliest + usualGap ? spans.filter(({ from }) => from === begin) : []
  const isTold = ({ fund, to }: (typeof spans)[number]) =>
    end < latest - (markOf(fund) === null ? usualGap : 0) && to === end
  const early = spans.filter(isTold)
  return [
    ...late.map(({ fund, from }): Shortener => ({ fund, end: 'begins', day: from })),
    ...early.map(({ fund, to }): Shortener => ({ fund, end: 'ends', day: to })),
  ]
}

/** What cannot be shown of the funds, and why. @param again loads what has failed once more */
function faultsOf(
  { comparison, loaded, failed, lonely, unpaid, cut }: Awaited<ReturnType<typeof load>>,
  say: Page['say'],
  again: () => void,
): readonly Message[] {
  const way = { label: say('again'), press: again }
  const inWords = (names: readonly string[]) =>
    [names.slice(0, -1).join(', '), names.at(-1) ?? ''].filter(Boolean).join(` ${say('and')} `)
  const faultOf = (name: string, ...funds: readonly ListedFund[]): Message => ({
    text: say(name, { fund: inWords(funds.map((fund) => fund.name)) }),
    kind: 'fault',
  })
  return [
    ...(failed.length > 0 ? [{ ...faultOf('failed', ...failed), way }] : []),
    ...(loaded.length > 0 && comparison === null ? [faultOf('noDays')] : []),
    ...cut.map(({ fund, end, day }) => ({
      text: say(end, { fund: fund.name, day: dayIn(language, isoOf(day)) }),
      kind: 'notice' as const,
    })),
    ...lonely.few.map((fund) => faultOf('few', fund)),
    ...lonely.alone.map((fund) => faultOf('alone', fund)),
    ...(unpaid.length > 0 ? [{ ...faultOf('unpaid', ...unpaid), kind: 'notice' as const }] : []),
  ]
}

/** @param names of all funds that may be compared @returns draws a comparison, and writes its days into the table */
function drawer({ part, say }: Page, names: readonly string[]) {
  const figure = part('figure')
  const period = part('#period')
  const explore = exploreChart(figure)
  // Some headings name the days of the period.
  const headings = [...part('#compared').querySelectorAll<HTMLElement>('th [data-text]')].map((heading) => {
    return { heading, unknown: heading.textContent }
  })
  return (comparison: FundComparison | null, funds: readonly ListedFund[], styles: readonly number[]) => {
    // The buttons stay: another period may have prices.
    figure.classList.toggle('lineless', comparison === null)
    const first = comparison?.days[0]
    const last = comparison?.days.at(-1)
    const day = (number: number | undefined) => (number === undefined ? '–' : dayIn(language, isoOf(number)))
    const filled = ({ dataset }: HTMLElement) =>
      ((funds.length === 1 ? dataset['one'] : undefined) ?? dataset['text'] ?? '')
        .replace('{first}', day(first))
        .replace('{last}', day(last))
    for (const { heading, unknown } of headings)
      heading.textContent = comparison === null ? unknown : filled(heading)
    if (comparison === null) return
    period.textContent = filled(period)
    const lines = comparison.funds.map(({ line }) => line)
    // The chips above have the whole names.
    const short = shortened(
      funds.map(({ name }) => name),
      [],
    )
    const rowOf = (which: number, value: string): TipRow => ({
      name: short[which] ?? '',
      value,
      key: () => lineKey(styles[which] ?? 0),
    })
    const plot = plotOf(...lines)
    const paths = lines.map((line) => linePath(line, plot))
    const drawn = part('.drawn')
    drawn.innerHTML = lineChart(plot, paths, language, styles)
    const endOf = (line: (typeof lines)[number], index: number) => ({
      name: funds[index]?.name ?? '',
      style: styles[index] ?? 0,
      depth: depthOf(plot.axis, line.at(-1)?.value ?? 0),
    })
    drawn.append(...lineEnds(part('figure .canvas'), lines.map(endOf), names))
    const { days } = comparison
    explore({
      last: days.length - 1,
      nearest: (share) => nearestDay(days, plot.first + share * plot.days),
      at: (index) => {
        const number = days[index] ?? plot.first
        const values = comparison.funds.map(({ indexOn }) => indexOn(number))
        return {
          x: (number - plot.first) / plot.days,
          dots: values.map((value, which) => ({ y: depthOf(plot.axis, value), style: styles[which] ?? 0 })),
          heading: day(number),
          rows: values.map((value, which) => rowOf(which, fixedIn(language, value, 2))),
        }
      },
      between: (first, last) => {
        const from = days[first] ?? plot.first
        const to = days[last] ?? plot.first
        return {
          heading: stretchText(language, say, from, to),
          rows: comparison.funds.map(({ indexOn }, which) =>
            rowOf(which, stretchChange(language, say, indexOn(to) / indexOn(from), from, to)),
          ),
        }
      },
    })
  }
}

/** Both addresses have `ISIN` as placeholder. @param prices historic ones @param actions distributions and splits */
function priceHistories(prices: string, actions: string) {
  const known = new Map<string, { readonly from: number; readonly history: History }>()
  /** Prices from the last one before a day on, or all; null if they cannot be loaded. @param newest ISO 8601 day of the newest price */
  return async (isin: string, first: number | null, newest: string): Promise<History | null> => {
    const from = first === null ? firstYear : yearToAsk(first)
    const before = known.get(isin)
    if (before !== undefined && before.from <= from) return before.history
    try {
      const pricesFrom = (year: number) =>
        fetchPrices(prices.replace('ISIN', isin), year, yearOf(dayNumber(newest)))
      const [found, then] = await Promise.all([
        pricesFrom(from),
        before?.history.actions ?? fetchActions(actions.replace('ISIN', isin)),
      ])
      // Without a price on the first day or before it, the history is short, or has a gap there: all of it tells.
      const isShort = first !== null && (found[0]?.day ?? Infinity) > first
      const history = {
        prices: isShort ? await pricesFrom(firstYear) : found,
        isWhole: isShort || from === firstYear,
        actions: then,
      }
      known.set(isin, { from: isShort ? firstYear : from, history })
      return history
    } catch {
      return null
    }
  }
}
