import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import type { BenchRequest } from '../client.ts';
import { MADE_KINDS, rememberId } from './ids.ts';
import { READS_LEFT_OUT, WRITES_LEFT_OUT } from './left-out.ts';
import { REQUESTS } from './requests.ts';

const ORG = 'acme';
for (const kind of MADE_KINDS) rememberId(ORG, kind, `the-${kind.replace(' ', '-')}`);

const endpoints = groups.flatMap((group) => group.endpoints);

/** The operation of a request: of several paths that fit, the one with the fewest parameters. */
function operationOf({ method, path }: BenchRequest): string {
  const parameters = (of: string) => of.split('{').length;
  const [found] = endpoints
    .filter((endpoint) => endpoint.method === method && patternOf(endpoint.path).test(path))
    .toSorted((one, other) => parameters(one.path) - parameters(other.path));
  if (!found) throw new Error(`No endpoint fits ${method} ${path}`);
  return found.operation;
}

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll(/\{\w+\+\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

const measured = new Set(REQUESTS.map(({ build }) => operationOf(build(ORG, 1, 1_000))));

describe('the measured requests', () => {
  it.each([
    ['every read', (method: string) => method === 'GET', READS_LEFT_OUT],
    ['every write', (method: string) => method !== 'GET', WRITES_LEFT_OUT],
  ])('are %s, apart from those that are left out with a reason', (_name, isIt, leftOut) => {
    const operations = endpoints.filter(({ method }) => isIt(method)).map(({ operation }) => operation);
    const missing = operations.filter((operation) => !measured.has(operation) && !(operation in leftOut));
    expect(missing).toEqual([]);
    const stale = Object.keys(leftOut).filter((one) => measured.has(one) || !operations.includes(one));
    expect(stale).toEqual([]);
  });

  it('have a floor if they read', () => {
    expect(REQUESTS.filter(({ kind, floor }) => kind === 'read' && !floor)).toEqual([]);
  });

  it('have different names', () => {
    expect(new Set(REQUESTS.map(({ name }) => name)).size).toBe(REQUESTS.length);
  });
});
