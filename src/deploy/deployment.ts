/** What a deployment of the edge is made from, and what it is made of. */

export interface DeploymentSettings {
  readonly baseUrl: string
  readonly docsUrl: string
  /** The snapshot's folder, for an edge that serves files. */
  readonly out: string
  readonly bucket: {
    /** Null: an edge that serves files. */
    readonly name: string | null
    readonly endpoint: string | null
    readonly region: string | null
    readonly prefix: string
    readonly pathStyle: boolean
  }
  readonly edge: {
    readonly cacheControl: string
    readonly errorCacheControl: string
    readonly liveTtlSeconds: number
    /** `max-age` of Strict-Transport-Security; 0 for none. */
    readonly hstsSeconds: number
    readonly host: string
    readonly port: number
  }
}

export interface DeploymentFile {
  /** Relative to the folder that it is written to. */
  readonly path: string
  readonly text: string
}

/** @throws {Error} if the settings lack what this platform needs, with what to set */
export type MakeDeployment = (settings: DeploymentSettings) => Promise<readonly DeploymentFile[]>
