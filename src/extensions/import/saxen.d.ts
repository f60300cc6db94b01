/** The part of saxen that XML is read with: the package has no types. */
declare module 'saxen' {
  export type GetContext = () => { readonly line: number; readonly column: number; readonly data: string }
  export class Parser {
    on(event: 'error' | 'warn', listener: (error: Error, getContext: GetContext) => void): this
    on(
      event: 'openTag',
      listener: (
        name: string,
        attributesOf: () => Readonly<Record<string, string>>,
        decode: (text: string) => string,
        isEmpty: boolean,
      ) => void,
    ): this
    on(
      event: 'closeTag',
      listener: (name: string, decode: (text: string) => string, isEmpty: boolean) => void,
    ): this
    on(
      event: 'text' | 'attention' | 'comment',
      listener: (text: string, decode: (text: string) => string, getContext: GetContext) => void,
    ): this
    on(event: 'cdata' | 'question', listener: (text: string, getContext: GetContext) => void): this
    parse(xml: string): void
    /** A piece of a stream. A tag or text without its end waits for the next one. */
    write(xml: string): this
    end(): void
  }
}
