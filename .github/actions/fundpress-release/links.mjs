/** Links of documents that leave the repository: they lead into it as it was tagged. */

const { GITHUB_REF_NAME: tag = '', GITHUB_SERVER_URL = '', GITHUB_REPOSITORY = '' } = process.env

export const repository = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`

/**
 * Makes relative links absolute, those of images too.
 * @param {string} text Markdown @param {string} document its path in the repository
 * @param {(path: string) => boolean} isKept whether a link stays as it is, by the path that it leads to
 * @returns {string}
 */
export function absoluteLinks(text, document, isKept = () => false) {
  const root = new URL('https://repository.invalid/')
  /** @param {string} target @param {'blob' | 'raw'} view @returns {string} */
  const addressOf = (target, view) => {
    const { pathname, hash } = new URL(target, new URL(document, root))
    const path = pathname.slice(1)
    return isKept(path) ? target : `${repository}/${view}/${tag}/${path}${hash}`
  }
  return text
    .replace(
      /(!\[[^\]]*)?\]\((?![a-z]+:)([^)\s]+)\)/g,
      (_, /** @type {string | undefined} */ image, /** @type {string} */ target) =>
        `${image ?? ''}](${addressOf(target, image === undefined ? 'blob' : 'raw')})`,
    )
    .replace(
      /\b(src|srcset)="(?![a-z]+:)([^"\s]+)"/g,
      (_, /** @type {string} */ name, /** @type {string} */ target) =>
        `${name}="${addressOf(target, 'raw')}"`,
    )
}
