/** What a fund's page does in a browser: ranges and a tooltip for its chart, buttons that copy. All works without. */

import { chartOf } from './chart.ts'
import { copyButtons } from './copy.ts'
import { linksToFiles, linksToNight } from './links.ts'

if (location.protocol === 'file:') {
  linksToFiles(document)
  linksToNight(document)
}
copyButtons(document)
const figure = document.getElementById('nav')
if (figure !== null) chartOf(figure)
