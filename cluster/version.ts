/** Set by the build (publish/) from package.json. */
declare const CAPZ_BOOTSTRAP_VERSION: string | undefined;

/** "0.0.0" when the sources run unbuilt. */
export const programVersion: string = typeof CAPZ_BOOTSTRAP_VERSION === "string" ? CAPZ_BOOTSTRAP_VERSION : "0.0.0";
