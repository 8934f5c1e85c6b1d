import { describe, expect, it } from 'vitest';
import type { SearchOut } from '#functions/search/search-output.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, isTime, refusal } from '#test/support/evidence.ts';
import { countingTable } from '#test/support/table/units.ts';
import { type Setting, settingOf } from '../../shared/environments/relayed-environments.ts';

const api = await environmentsApi();
const sound = api.services.table;
const ROGUE = fingerprintOf('rogue');

async function find({ get, org }: Setting, sha: string): Promise<SearchOut> {
  const { status, json, text } = await get(`/search/${org}/sha/${sha}`);
  if (status !== 200) throw new Error(`${sha} was not found: ${text}`);
  return json as SearchOut;
}

/** The artifacts found, as `flow/name`. */
const found = async (setting: Setting, sha: string) =>
  (await find(setting, sha)).artifacts.map(({ flow, name }) => `${flow}/${name}`);

describe('a search for an artifact that runs without a report in any flow', () => {
  it.each([5, 63, 64])('finds it by its first %i characters, and shows where it runs and ran', async (digits) => {
    const setting = await settingOf(api, []);
    await setting.putEnvironment('stage');
    await setting.run('stage', onServer({ tool: 'rogue' }));
    expect((await setting.get(`/search/${setting.org}/sha/${ROGUE}`)).status).toBe(404);
    await setting.relay.settle();
    expect(await found(setting, ROGUE)).toEqual(['/tool']);
    await setting.run('prod', onServer({ 'acme/tool:1': 'rogue' }));
    await setting.run('stage', onServer({}));
    await setting.relay.settle();
    const { resolved_to: to, artifacts } = await find(setting, ROGUE.slice(0, digits));
    expect(to).toEqual({
      type: 'fingerprint',
      full_match: ROGUE,
      fingerprints: { type: 'fingerprint', count: 1, matches: [ROGUE] },
      commits: { type: 'commit', count: 0, matches: [] },
    });
    expect(artifacts).toEqual([
      {
        fingerprint: ROGUE,
        name: 'acme/tool:1',
        flow: '',
        git_commit: '',
        has_provenance: false,
        commit_url: '',
        build_url: '',
        compliance_state: 'INCOMPLETE',
        html_url: expect.stringMatching(new RegExp(`/${setting.org}/environments/stage/snapshots/2$`)),
        running_in: ['prod'],
        exited_from: ['stage'],
        history: [
          { event: 'Started running in stage#1 environment', timestamp: expect.toSatisfy(isTime) },
          { event: 'Started running in prod#1 environment', timestamp: expect.toSatisfy(isTime) },
          { event: 'No longer running in stage#2 environment', timestamp: expect.toSatisfy(isTime) },
        ],
      },
    ]);
  });

  it('shows only the report once there is one', async () => {
    const setting = await settingOf(api, []);
    await setting.run('prod', onServer({ rogue: 'rogue' }));
    await setting.relay.settle();
    expect(await found(setting, ROGUE)).toEqual(['/rogue']);
    await setting.report(anArtifact('rogue'));
    expect(await found(setting, ROGUE)).toEqual([`web/${anArtifact('rogue').filename}`]);
    expect((await find(setting, ROGUE)).resolved_to.fingerprints.count).toBe(1);
  });

  it('lists it after reported artifacts, the newest first', async () => {
    const setting = await settingOf(api, []);
    const at = (digits: string) => ({ fingerprint: digits.padEnd(64, '0') });
    const runs = (name: string, digits: string) => ({
      artifacts: [{ digests: { [name]: at(digits).fingerprint }, creationTimestamp: 1_776_000_000 }],
    });
    await setting.report(anArtifact('own', at('abcde1')));
    await setting.run('prod', runs('one', 'abcde2'));
    api.services.clock.advance(fromSeconds(60));
    await setting.run('prod', runs('two', 'abcde3'));
    await setting.relay.settle();
    expect(await found(setting, 'abcde')).toEqual([`web/${anArtifact('own').filename}`, '/two', '/one']);
    const { type, fingerprints } = (await find(setting, 'abcde')).resolved_to;
    expect([type, fingerprints.count]).toEqual(['ambiguous', 3]);
  });

  it('shows nothing of archived environments, and nothing to other organizations', async () => {
    const [setting, other] = [await settingOf(api, []), await settingOf(api, [])];
    await setting.run('prod', onServer({ rogue: 'rogue' }));
    await setting.relay.settle();
    await setting.call('PUT', `/environments/${setting.org}/prod/archive`, { text: 'null' });
    expect((await find(setting, ROGUE)).artifacts).toMatchObject([
      { name: 'rogue', html_url: '', running_in: [], exited_from: [], history: [] },
    ]);
    expect(refusal(await other.get(`/search/${other.org}/sha/${ROGUE}`))).toEqual([
      404,
      { message: `No matches for '${ROGUE}'.` },
    ]);
  });

  it('costs three reads: the indexes, where it runs, and the name of the environment', async () => {
    const setting = await settingOf(api, []);
    await setting.run('prod', onServer({ rogue: 'rogue' }));
    await setting.relay.settle();
    await find(setting, ROGUE);
    const { table, units } = countingTable(sound);
    api.services.table = table;
    try {
      await find(setting, ROGUE);
    } finally {
      api.services.table = sound;
    }
    expect(units).toEqual({ read: 3, write: 0 });
  });
});
