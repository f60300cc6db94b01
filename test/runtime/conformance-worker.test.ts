/** The Worker in the real workerd, with an R2 bucket: whatever `serve` answers, it answers. */
import { conformanceSuite } from './conformance.ts'
import { workerd } from './deployments.ts'

conformanceSuite(workerd)
