/** What a server of the tests needs for TLS. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { once } from './once.ts'
import { makeTempFolder } from './product.ts'

/** A certificate of this machine that nobody has signed but itself. `file` holds it. */
export const certificate = () =>
  once('certificate', () => {
    const folder = makeTempFolder()
    const file = folder.file('cert.pem')
    const keyFile = folder.file('key.pem')
    const names = 'subjectAltName=IP:127.0.0.1,IP:127.0.0.2'
    const ofKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile]
    const line = ['req', '-x509', ...ofKey, '-out', file, '-subj', '/CN=127.0.0.1', '-addext', names]
    execFileSync('openssl', [...line, '-days', '2'], { stdio: 'ignore' })
    return Promise.resolve({
      file,
      key: readFileSync(keyFile, 'utf8'),
      cert: readFileSync(file, 'utf8'),
    })
  })
