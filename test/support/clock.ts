/** The clock of a process at another time, given to it by {@link withClock}: it goes on from there. */
const skewMs = Number(process.env['TEST_CLOCK_SKEW_MS'] ?? 0)
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct: (_, given: unknown[]) =>
    Reflect.construct(RealDate, given.length === 0 ? [RealDate.now() + skewMs] : given) as Date,
  get: (date, name): unknown => (name === 'now' ? () => RealDate.now() + skewMs : Reflect.get(date, name)),
})

/** For the environment of a process. @param now ISO 8601 with time */
export const withClock = (now: string) => ({
  NODE_OPTIONS: `--import=${import.meta.url}`,
  TEST_CLOCK_SKEW_MS: String(RealDate.parse(now) - RealDate.now()),
})
