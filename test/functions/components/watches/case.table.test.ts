import { describe, expect, it } from 'vitest';
import { toSeconds } from '#shared/base/time.ts';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import { reportFiles } from '#test/support/records/reported-sboms.ts';
import { OLD_LODASH, watchApi, watchingOrganization } from './watch-api.ts';

/** Cases of watches (rules/watches.md#case). */

const api = await watchApi();
const { clock } = api.services;
const DAY = 24 * 3600;

interface CaseJson {
  known_since: number | null;
  environments: { environment: string; since: number; until: number | null }[];
  timeline: { kind: string; at: number; environment?: string; trail_name?: string }[];
}

describe('GET /watches/{org}/{name}/case', () => {
  describeAccess(api, {
    method: 'GET',
    path: (name) => `/watches/${name}/none/case`,
    needs: 'reader',
  });

  it('answers since when the organization knows, where it ran, who was told, and what is fixed', async () => {
    const acme = await watchingOrganization(api);
    const caseOf = async (name: string) => (await acme.get(`/watches/${acme.org}/${name}/case`)).json as CaseJson;
    await acme.watch('lodash');
    await acme.relay.settle();
    expect(await caseOf('lodash')).toMatchObject({
      ...{ known_since: null, known_from: null, due_at: null, affected_builds: 0, first_affected_at: null },
      ...{ environments: [], stopped_at: null, complete: true },
      timeline: [{ kind: 'asked' }],
    });
    await acme.build('one');
    await acme.run('prod', onServer({ one: 'one' }));
    await acme.relay.settle();
    const open = await caseOf('lodash');
    const matched = open.timeline.find(({ kind }) => kind === 'matched')?.at ?? 0;
    expect(open).toMatchObject({
      ...{ known_since: matched, known_from: 'match', due_at: matched + DAY, affected_builds: 1, stopped_at: null },
      environments: [{ environment: 'prod', artifacts: 1, until: null }],
    });
    clock.advance(60_000_000);
    // The next build of the same artifact is fixed.
    await acme.build('one', '4.17.21', { trail: 'two', content: 'one again' });
    await acme.run('prod', onServer({ one: 'one again' }));
    await acme.relay.settle();
    const since = Math.floor(toSeconds(clock.now())) - 30;
    await acme.watch('lodash', { ...OLD_LODASH, known_since: since, known_note: 'A mail' });
    const closed = await caseOf('lodash');
    const [, snapshot] = await acme.snapshots('prod');
    const stopped = snapshot && toSeconds(snapshot.at);
    expect(closed).toMatchObject({
      ...{ known_since: since, known_from: 'person', due_at: since + DAY, affected_builds: 1, stopped_at: stopped },
      environments: [{ environment: 'prod', until: stopped }],
    });
    const kinds = closed.timeline.map(({ kind, environment }) => (environment ? `${kind} in ${environment}` : kind));
    expect(kinds.toSorted()).toEqual([
      ...['asked', 'fixed', 'known', 'matched', 'matched in prod', 'started in prod', 'stopped in prod'],
      ...['told', 'told in prod'],
    ]);
    expect(closed.timeline.map(({ at }) => at)).toEqual(closed.timeline.map(({ at }) => at).toSorted((a, b) => a - b));
    expect(kinds.indexOf('matched')).toBeLessThan(kinds.indexOf('matched in prod'));
    expect(closed.timeline.find(({ kind }) => kind === 'fixed')).toMatchObject({ trail_name: 'two' });
    const told = closed.timeline.filter(({ kind }) => kind === 'told');
    const target = { type: 'WEBHOOK', host: 'hooks.example.com' };
    for (const action_name of ['flows', 'envs'])
      expect(told).toContainEqual(expect.objectContaining({ action_name, target, state: 'pending' }));
  });

  it('marks a matched build that is said not to be affected, and counts it apart', async () => {
    const acme = await watchingOrganization(api);
    await acme.build('one');
    const statement = {
      vulnerability: { name: 'CVE-2020-8203' },
      products: [{ '@id': `pkg:oci/one@sha256%3A${fingerprintOf('one')}` }],
      status: 'not_affected',
      justification: 'vulnerable_code_not_present',
    };
    const head = {
      '@context': 'https://openvex.dev/ns/v0.2.0',
      '@id': 'https://vex.example/1',
      author: 'A',
      version: 1,
    };
    const document = JSON.stringify({ ...head, timestamp: '2026-01-01T00:00:00Z', statements: [statement] });
    await reportFiles(acme, { 'vex.json': document }, { trail: 'one' });
    await acme.watch('lodash', { ...OLD_LODASH, vulnerability: 'CVE-2020-8203' });
    await acme.relay.settle();
    const { json } = await acme.get(`/watches/${acme.org}/lodash/case`);
    expect(json).toMatchObject({ affected_builds: 0, not_affected_builds: 1, known_from: 'match' });
    const { timeline } = json as CaseJson;
    expect(timeline.find(({ kind }) => kind === 'matched')).toMatchObject({ said_not_affected: true });
  });
});
