/** nginx as Debian has it: with files behind a symbolic link, and with a private bucket behind its cache. */
import { conformanceSuite } from './conformance.ts'
import { nginxBucket, nginxFiles } from './deployments.ts'

conformanceSuite(nginxFiles)
conformanceSuite(nginxBucket)
