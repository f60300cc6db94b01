/** The settings that fundpress knows with all its extensions. */
import { knownSettings } from '../../src/core/cli/known-settings.ts'
import { extensions } from '../../src/extensions.ts'

export const known = await knownSettings(extensions)
