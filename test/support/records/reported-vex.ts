/** Documents in OpenVEX, for tests of what is read of them. */

/** A statement about an artifact, and one of its parts unless `part` is null. */
export const vexStatement = (
  sha256: string | null,
  { part = 'pkg:npm/lodash', status = 'not_affected', vulnerability = 'CVE-2026-0001', ...more }: StatementOptions = {},
): object => ({
  vulnerability: { name: vulnerability },
  status,
  justification: 'vulnerable_code_not_in_execute_path',
  ...(sha256 === null
    ? part !== null && { subcomponents: [{ '@id': part }] }
    : { products: [{ hashes: { 'sha-256': sha256 }, ...(part !== null && { subcomponents: [{ '@id': part }] }) }] }),
  ...more,
});

interface StatementOptions extends Record<string, unknown> {
  part?: string | null;
  status?: string;
  vulnerability?: string;
}

export const vexDocument = (...statements: readonly object[]): Record<string, unknown> => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://acme.example/vex/1',
  author: 'Acme',
  timestamp: '2026-11-01T00:00:00Z',
  version: 1,
  statements,
});

export const vexFile = (...statements: readonly object[]): string => JSON.stringify(vexDocument(...statements));
