/** `fundpress serve` from a folder and from a bucket: whatever else answers has to answer as these do. */
import { conformanceSuite } from './conformance.ts'
import { serveBucket, serveFolder } from './deployments.ts'

conformanceSuite(serveFolder)
conformanceSuite(serveBucket)
