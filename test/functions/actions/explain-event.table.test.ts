import { describe, expect, it } from 'vitest';
import { environmentNotificationsGroup } from '#functions/environment-notifications/endpoints.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import { targetHealthKey } from '#shared/notifications/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups, onServer } from '#test/support/environments.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import { settingOf as evidenceSetting, type Setting } from '../../shared/environments/relayed-environments.ts';
import { anAction, refusal, refused } from './actions-api.ts';

const api = await testApi([...environmentGroups, environmentNotificationsGroup]);
const { table, clock } = api.services;
const ATTESTED = 'flow=web&trail=run&moment=2';

/** Actions that match an attestation in `web`, and one for each condition that they can miss. */
async function settingOf(): Promise<Setting> {
  const setting = await evidenceSetting(api, []);
  const { org, call } = setting;
  await setting.putFlow('other');
  await setting.putEnvironment('stage');
  for (const action of [
    anAction({ name: 'match', flows: ['web'] }),
    anAction({ name: 'other-trigger', triggers: ['ON_STARTED_TRAIL'] }),
    anAction({ name: 'other-flow', flows: ['other'] }),
    anAction({ name: 'gone' }),
  ]) {
    expect((await call('PUT', `/actions/${org}/flows`, { json: action })).status).toBe(200);
  }
  await call('DELETE', `/actions/${org}/4`, { text: 'null' });
  const watch = { type: 'env', triggers: ['ON_STARTED_ARTIFACT'], targets: anAction().targets };
  for (const [name, environments] of [
    ['watch', ['prod']],
    ['elsewhere', ['stage']],
  ] as const) {
    const json = { ...watch, name, environments };
    expect((await call('PUT', `/organizations/${org}/environments_notifications`, { json })).status).toBe(200);
  }
  return setting;
}

interface Explanation {
  event: Record<string, unknown>;
  actions: { name: string; mismatch: string | null; targets: Record<string, unknown>[] }[];
}

async function explain({ get, org }: Setting, query: string): Promise<Explanation> {
  const { status, json, text } = await get(`/deliveries/${org}/explain`, query);
  if (status !== 200) throw new Error(text);
  return json as Explanation;
}
const mismatches = ({ actions }: Explanation) => Object.fromEntries(actions.map((one) => [one.name, one.mismatch]));

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await evidenceSetting(api, []);

describe('GET /deliveries/{org}/explain', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/deliveries/${org}/explain`,
    request: { query: ATTESTED },
    needs: 'reader',
  });

  it('names the actions that were notified of a moment, and the first condition that the others miss', async () => {
    const setting = await settingOf();
    await setting.begin({});
    await setting.attest('generic', { attestation_name: 'lint' });
    clock.advance(1_000_000);
    await setting.call('PUT', `/actions/${setting.org}/flows`, { json: anAction({ name: 'late' }) });
    const before = await explain(setting, ATTESTED);
    expect(before.event).toMatchObject({
      type: 'ATTESTATION_REPORTED',
      trigger: 'ON_ATTESTATION',
      description: expect.stringContaining("'lint'"),
      flow: 'web',
      trail: 'run',
      html_url: expect.stringMatching(`/${setting.org}/flows/web/trails/run$`),
    });
    expect(mismatches(before)).toEqual({
      match: null,
      'other-trigger': 'trigger',
      'other-flow': 'flow',
      watch: 'trigger',
      elsewhere: 'trigger',
      late: 'later',
    });
    expect(before.actions[0]?.targets).toEqual([
      { type: 'WEBHOOK', host: 'hooks.example.com', disabled_since: null, delivery: null },
    ]);
    await setting.relay.settle();
    const [sent] = await setting.deliveries(1);
    expect((await explain(setting, ATTESTED)).actions[0]?.targets).toMatchObject([
      { delivery: { id: sent?.id, state: 'pending', attempts_made: 0, last_attempt: null } },
    ]);
    const [{ attestation_id: id } = {}] = await setting.named('lint');
    const { event, actions } = await explain(setting, `attestation_id=${id}`);
    const byMoment = await explain(setting, ATTESTED);
    const page = `${byMoment.event['html_url']}?attestation_id=${id}`;
    expect({ event, actions }).toEqual({ ...byMoment, event: { ...byMoment.event, html_url: page } });
  });

  it('says that a target is disabled', async () => {
    const setting = await settingOf();
    await setting.begin({});
    await setting.attest('generic', { attestation_name: 'lint' });
    const key = (await findAction(table, setting.id, 1))?.targets[0]?.key ?? '';
    const health = { key, lastSuccess: 0, lastFailure: 3e6, disabled: true, failures: 1, probeAt: 0, recent: [3e6] };
    await table.put({ ...targetHealthKey(setting.id, 1, key), v: 1, ...health, rev: 1, since: 0 });
    expect((await explain(setting, ATTESTED)).actions[0]?.targets).toMatchObject([{ disabled_since: 3 }]);
  });

  it('explains what a snapshot fired', async () => {
    const setting = await settingOf();
    await setting.run('prod', onServer({ api: 'one', db: 'two' }));
    await setting.relay.settle();
    const snapshot = 'environment=prod&snapshot=1&trigger=ON_STARTED_ARTIFACT';
    const found = await explain(setting, `${snapshot}&fingerprint=${fingerprintOf('two')}`);
    expect(found.event).toMatchObject({ type: 'ARTIFACT_STARTED', trigger: 'ON_STARTED_ARTIFACT' });
    expect(mismatches(found)).toMatchObject({ watch: null, elsewhere: 'environment', match: 'trigger' });
    const watch = found.actions.find(({ name }) => name === 'watch');
    expect(watch?.targets).toMatchObject([{ delivery: { event: { environment: 'prod', id: found.event['id'] } } }]);
    expect((await explain(setting, `${snapshot}&artifact_name=api`)).event['id']).not.toBe(found.event['id']);
    const ambiguous = await setting.get(`/deliveries/${setting.org}/explain`, snapshot);
    expect(refusal(ambiguous)).toEqual(refused({ 'query.fingerprint': expect.stringContaining('Name one') }));
  });

  it('explains an entry of an allow-list: the one that put the artifact there', async () => {
    const setting = await settingOf();
    const { org, call } = setting;
    const watch = { type: 'env', triggers: ['ON_ALLOWED_ARTIFACT'], targets: anAction().targets };
    const json = { ...watch, name: 'allowed', environments: ['prod'] };
    expect((await call('PUT', `/organizations/${org}/environments_notifications`, { json })).status).toBe(200);
    const fingerprint = fingerprintOf('tool');
    const entry = { artifact_fingerprint: fingerprint, artifact_name: 'tool', description: 'of a vendor' };
    expect((await call('PUT', `/allowlists/${org}/prod`, { json: entry })).status).toBe(201);
    clock.advance(1_000_000);
    const again = { ...entry, description: 'another reason' };
    expect((await call('PUT', `/allowlists/${org}/prod`, { json: again })).status).toBe(201);
    await setting.relay.settle();
    const named = `environment=prod&trigger=ON_ALLOWED_ARTIFACT&fingerprint=${fingerprint}`;
    const found = await explain(setting, named);
    expect(found.event).toMatchObject({
      type: 'ARTIFACT_ALLOWED',
      environment: 'prod',
      html_url: expect.stringMatching(`/${org}/environments/prod/allowed$`),
      description: expect.stringContaining('of a vendor'),
    });
    expect(mismatches(found)).toMatchObject({ allowed: null, watch: 'trigger', match: 'trigger' });
    const allowed = found.actions.find(({ name }) => name === 'allowed');
    expect(allowed?.targets).toMatchObject([{ delivery: { event: { id: found.event['id'] } } }]);
  });

  it('has no trigger for a moment that fires nothing', async () => {
    const setting = await settingOf();
    await setting.begin({});
    await setting.begin({ description: 'another' });
    const found = await explain(setting, ATTESTED);
    expect(found.event).toMatchObject({ type: 'trail_updated', trigger: null });
    expect(new Set(Object.values(mismatches(found)))).toEqual(new Set(['trigger']));
  });

  it.each([
    'attestation_id=0192f3a4-b5c6-4d7e-8f90-a1b2c3d4',
    'attestation_id=none',
    'flow=none&trail=run&moment=1',
    'flow=web&trail=none&moment=1',
    'flow=web&trail=run&moment=1',
    'environment=prod&snapshot=1&trigger=ON_STARTED_ARTIFACT',
    `environment=prod&trigger=ON_ALLOWED_ARTIFACT&fingerprint=${fingerprintOf('tool')}`,
    'environment=prod&trigger=ON_ALLOWED_ARTIFACT&fingerprint=none',
  ])('answers 404 for an event that does not exist: %s', async (query) => {
    const answer = await refusing.get(`/deliveries/${refusing.org}/explain`, query);
    expect(refusal(answer)).toEqual([404, { message: 'Event not found' }]);
  });

  it.each([
    ['', ['attestation_id']],
    ['flow=web', ['trail', 'moment']],
    ['environment=prod&trigger=ON_COMPLIANT_ENV', ['snapshot']],
    ['attestation_id=x&environment=prod', ['environment']],
    ['flow=web&trail=run&moment=0', ['moment']],
    ['environment=prod&snapshot=x&trigger=ON_COMPLIANT_ENV', ['snapshot']],
    ['environment=prod&snapshot=1&trigger=ON_ATTESTATION', ['trigger']],
    ['environment=prod&trigger=ON_ALLOWED_ARTIFACT', ['fingerprint']],
    ['environment=prod&trigger=ON_ALLOWED_ARTIFACT&snapshot=1&fingerprint=x', ['snapshot']],
  ])('refuses the query "%s"', async (query, fields) => {
    const answer = await refusing.get(`/deliveries/${refusing.org}/explain`, query);
    const errors = Object.fromEntries(fields.map((field) => [`query.${field}`, expect.any(String)]));
    expect(refusal(answer)).toEqual(refused(errors));
  });
});
