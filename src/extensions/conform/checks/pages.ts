/** Answers to browsers: pages, with headers that limit their rights, and JSON from the API. */

import { checksOf } from '../check.ts'
import type { HttpAnswer } from '../client.ts'
import { missingPageHeaders } from '../compare.ts'

/** Accept of browsers for an address that a reader opens. */
const acceptOf = {
  chrome:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  firefox: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  old: 'text/html, */*;q=0.1',
}
const browsers = Object.values(acceptOf)
/** Accept of programs that name HTML, and prefer another format. */
const programs = [
  'application/xml,text/html;q=0.9',
  'application/json,text/html',
  'text/html;q=0.1,*/*;q=0.2',
]

const languages = ['de', 'en', 'en-GB,de;q=0.5', 'fr', undefined]
const inLanguages = (targets: readonly string[], accepts: readonly string[]) =>
  targets.flatMap((target) =>
    accepts.flatMap((accept) => languages.map((acceptLanguage) => ({ target, accept, acceptLanguage }))),
  )

const isHtml = ({ headers }: HttpAnswer) => headers.get('content-type')?.startsWith('text/html') === true

export const pageChecks = checksOf('pages', {
  'gives browsers JSON from the API, and XML or CSV to clients that prefer it to HTML': (context) => {
    const targets = [...context.examples.map(({ target }) => target), '/api/v1/figures/']
    const accepts = [...browsers, ...programs, 'text/csv,text/html;q=0.9']
    return context.compareAll(targets.flatMap((target) => accepts.map((accept) => ({ target, accept }))))
  },
  'gives everybody the start page, and browsers a page for what there is not, in their language': async (
    context,
  ) => {
    const { each, ask, fail, compareAll } = context
    const targets = [
      '/',
      '/?language=en',
      '/nothing/',
      '/api/v1/nothing/?language=de&format=csv',
      '/docs/none.html',
    ]
    await compareAll(inLanguages(targets, [...browsers, ...programs]))
    const starts = ['/', '/?format=xml', '/?language=en&format=json']
    await compareAll(
      starts.flatMap((target) => [undefined, '*/*', 'application/xml'].map((accept) => ({ target, accept }))),
    )
    await each(['/', '/nothing/'], async (target) => {
      // A snapshot can be built without pages.
      const page = target === '/' ? '/index.html' : '/not-found/index.html'
      if ((await ask({ target: page })).status !== 200) return
      const asked = { target, headers: { accept: acceptOf.firefox, 'accept-language': 'en' } }
      const answer = await ask(asked)
      if (!isHtml(answer)) fail(asked, 'a page', answer.headers.get('content-type') ?? 'no content-type')
    })
  },
  'gives programs a document for what there is not': ({ compareAll }) =>
    compareAll(
      ['/nothing/?format=json', '/docs/none.html'].flatMap((target) =>
        [undefined, '*/*', 'application/xml', ...programs].map((accept) => ({ target, accept })),
      ),
    ),
  'leads from addresses that people try to the pages that they mean, the query kept': ({
    isins,
    compareAll,
  }) => {
    const funds = isins.slice(0, 2).map((isin) => `/funds/${isin.toLowerCase()}/`)
    const others = ['/downloads/', '/downloads/index.json', '/wkn/847100', '/wkn/fp06ux/']
    const icons = ['/favicon.ico', '/apple-touch-icon.png']
    const targets = ['/docs/v1/', '/docs/v1/endpoints/', ...others, ...icons, ...funds]
    return compareAll(
      targets
        .flatMap((target) => [target, `${target}?language=en&x=%20+`])
        .flatMap((target) => [{ target }, { target, accept: acceptOf.firefox }, { target, method: 'HEAD' }]),
    )
  },
  'lets no other site put a page into a frame, and no page run what it did not bring': async (context) => {
    const { each, ask, fail } = context
    const pages =
      '/ /nothing/ /de.html /docs/ /docs/none/ /docs/explorer/ /funds/ /compare/ /status/ /downloads/latest/ /changes/'
    await each(pages.split(' '), async (target) => {
      const asked = { target, headers: { accept: acceptOf.chrome } }
      const answer = await ask(asked)
      if (!isHtml(answer)) return
      for (const { expected, got } of missingPageHeaders(answer.headers)) fail(asked, expected, got)
    })
  },
})
