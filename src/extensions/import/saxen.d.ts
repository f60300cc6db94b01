/** The part of saxen that workbooks are read with: the package has no types. */
declare module 'saxen' {
  export class Parser {
    on(event: 'error', listener: (error: Error) => void): this
    on(
      event: 'openTag',
      listener: (
        name: string,
        attributesOf: () => Readonly<Record<string, string>>,
        decode: (text: string) => string,
        isEmpty: boolean,
      ) => void,
    ): this
    parse(xml: string): void
  }
}
