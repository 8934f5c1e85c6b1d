/** The generators, with their versions as their registries name them (docs/clients.md). That of TypeScript is a package of this project. */
export const GENERATORS = {
  typescript: { name: 'swagger-typescript-api', version: '13.13.0' },
  python: { name: 'openapi-python-client', version: '0.29.1' },
  go: { name: 'oapi-codegen', version: 'v2.8.2' },
} as const;

/** Version of the library that the Go client needs. */
export const GO_RUNTIME = 'v1.9.0';
