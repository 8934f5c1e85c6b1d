import { describe, expect, it } from 'vitest';
import { receiptsGroup } from '#functions/receipts/endpoints.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { statementsGroup } from '#functions/statements/endpoints.ts';
import { readStatementPartition } from '#shared/log/records/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups } from '#test/support/environments.ts';
import { logEverything } from '#test/support/log/exports.ts';
import { integratorOf } from '#test/support/log/log.ts';
import { loggedOrganization } from '#test/support/log/receipts.ts';
import { itemsOf } from '#test/support/relay.ts';
import { recordedCount } from '#test/support/table/written-keys.ts';

// rules/log.md#openings, rules/log.md#proved-records

const api = await testApi([...environmentGroups, ...[snapshotsGroup, receiptsGroup, statementsGroup]]);
const { table, clock, objects, keys, origin } = api.services;
const integrator = integratorOf(table, { objects, clock, origin, logSigner: keys.log });

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
/** Another value of the same kind; null if a change of the value says nothing. */
function other(value: unknown): unknown {
  if (isBytes(value)) return value.length === 0 ? null : value.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return value === '' ? null : value.slice(0, -1) + (value.endsWith('a') ? 'b' : 'a');
  return null;
}

/** Each change of one value of an item, one level deep into its objects. */
function changesOf(item: Item): { attribute: string; changed: Item }[] {
  return (
    Object.entries(item)
      // With another sum of slots each read waits 20 seconds for a writer, and is refused with 503.
      .filter(([name]) => !['pk', 'sk', 'v', 'n', 'slots'].includes(name))
      .flatMap(([name, value]) => {
        if (typeof value === 'object' && value !== null && !isBytes(value) && !Array.isArray(value)) {
          return Object.entries(value).map(([inner, part]) => ({
            attribute: `${name}.${inner}`,
            next: other(part),
            whole: (next: unknown) => ({ ...value, [inner]: next }),
            name,
          }));
        }
        return [{ attribute: name, next: other(value), whole: (next: unknown) => next, name }];
      })
      .filter(({ next }) => next !== null)
      .map(({ attribute, next, whole, name: of }) => ({ attribute, changed: { ...item, [of]: whole(next) } }))
  );
}

const familyOf = ({ pk, sk }: Item): string => `${pk.split('#')[1]} ${/^[A-Z]+/.exec(sk)?.[0] ?? ''}`.trim();

describe('a single changed value in the table', () => {
  it('is never signed, and never handed out with a proof', async () => {
    const acme = await loggedOrganization(api, integrator);
    await logEverything(api.services, acme.id);
    const paths = {
      'receipt of moment 1': `/receipts/${acme.org}/trails/web/run/1`,
      'receipt of moment 2': `/receipts/${acme.org}/trails/web/run/2`,
      'receipt of moment 3': `/receipts/${acme.org}/trails/web/run/3`,
      'receipt of moment 4': `/receipts/${acme.org}/trails/web/run/4`,
      'receipt of snapshot 1': `/receipts/${acme.org}/environments/prod/1`,
      'statement of trail': `/trails/${acme.org}/web/run/statement`,
      'statement of snapshot': `/snapshots/${acme.org}/prod/1/statement`,
    };
    const look = async (path: string) => {
      const headers: Record<string, string> = path.startsWith('/receipts') ? { accept: 'application/json' } : {};
      const answer = await acme.call('GET', path, { headers });
      return { status: answer.status, text: answer.text };
    };
    /** Removes the statements that were signed after so many recorded writes. */
    const forget = async (after: number) => {
      const written = await itemsOf(table.name, acme.id, after);
      const signed = written.filter(({ pk }) => readStatementPartition(pk) !== null);
      await Promise.all(signed.map(({ pk, sk }) => table.write({ remove: { pk, sk } })));
    };
    const verdictIn = (name: string, { status, text }: { status: number; text: string }): string => {
      if (status !== 200 || !name.startsWith('statement')) return `${status} ${text}`;
      const { payload } = JSON.parse(text) as { payload: string };
      const { subject, predicate } = JSON.parse(Buffer.from(payload, 'base64').toString());
      const { verificationResult, inputAttestations, resourceUri, policy } = predicate;
      return JSON.stringify({ subject, verificationResult, inputAttestations, resourceUri, policy });
    };
    const lookAll = async () => {
      const before = recordedCount();
      const looks = Object.entries(paths).map(async ([name, path]) => [name, verdictIn(name, await look(path))]);
      const seen: Record<string, string> = Object.fromEntries(await Promise.all(looks));
      await forget(before);
      return seen;
    };
    const isAnswered = (name: string, seen = '') =>
      name.startsWith('statement') ? seen.startsWith('{') : seen.startsWith('200');
    await forget(0);
    const before = await lookAll();
    const again = await lookAll();
    // Answers with times of now differ by themselves.
    const stable = Object.keys(paths).filter((name) => before[name] === again[name]);
    const stored = await itemsOf(table.name, acme.id);
    expect(stored.filter(({ pk }) => readStatementPartition(pk) !== null)).toEqual([]);
    const items = stored.filter((item) =>
      /^(TRAIL|MOMENT|ATTESTATION|ARTIFACT|SNAPSHOT|LOGGED|LOG)$/.test(String(item.pk.split('#')[1])),
    );
    const wrong: string[] = [];
    for (const item of items) {
      for (const { attribute, changed } of changesOf(item)) {
        await table.put(changed);
        const after = await lookAll();
        const signed = stable.filter((name) => after[name] !== before[name] && isAnswered(name, after[name]));
        wrong.push(...signed.map((name) => `${familyOf(item)} ${item.sk} ${attribute}: ${name}`));
        await table.put(item);
      }
    }
    expect(wrong).toEqual([]);
  }, 300_000);
});
