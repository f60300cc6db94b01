/** CloudFront as `fundpress edge cloudfront` deploys it, on this machine: flipped by a publish with --flip-kvs. */
import { conformanceSuite } from './conformance.ts'
import { cloudFront } from './deployments.ts'

conformanceSuite(cloudFront)
