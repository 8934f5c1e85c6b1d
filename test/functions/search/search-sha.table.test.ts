import { beforeAll, describe, expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { searchGroup } from '#functions/search/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { recordRunning } from '#shared/environments/records/running.ts';
import { findByCommit } from '#shared/evidence/records/artifact-records.ts';
import { commitEntryKey } from '#shared/evidence/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { writeWithCopies } from '#test/support/copies/copied-writes.ts';
import {
  aCommit,
  anArtifact,
  fingerprintOf,
  invalidFields,
  isTime,
  newOrganization,
  refusal,
  shaOf,
} from '#test/support/evidence.ts';
import { testId, testName } from '#test/support/ids.ts';

const api = await testApi([searchGroup, artifactsGroup, attestationsGroup, environmentsGroup, flowsGroup, trailsGroup]);
const CLI = fingerprintOf('cli');

interface Matches {
  type: string;
  count: number;
  matches: string[];
}
interface Found {
  resolved_to: { type: string; full_match: string; fingerprints: Matches; commits: Matches };
  artifacts: { fingerprint: string; flow: string; name: string; history: { event: string; timestamp: number }[] }[];
}

async function searcher() {
  const acme = await newOrganization(api);
  const report = async (name: string, overrides: Record<string, unknown> = {}, flow = 'web') => {
    const { status, text } = await acme.report(anArtifact(name, overrides), { flow });
    if (status !== 201) throw new Error(`${name} was refused: ${text}`);
  };
  const find = async (sha: string) => {
    const { status, json, text } = await acme.get(`/search/${acme.org}/sha/${sha}`);
    if (status !== 200) throw new Error(`${sha} was not found: ${text}`);
    return json as Found;
  };
  return {
    ...acme,
    report,
    find,
    /** The artifacts found, as `flow/name`. */
    found: async (sha: string) => (await find(sha)).artifacts.map(({ flow, name }) => `${flow}/${name}`),
  };
}

/** An organization without artifacts, for tests that find nothing. */
const empty = await newOrganization(api);

/** Fields of a report whose commit begins with these digits. */
const committed = (digits: string) => {
  const sha1 = digits.padEnd(40, '0');
  return { git_commit: sha1, git_commit_info: aCommit('x', { sha1 }) };
};

describe('GET /search/{org}/sha/{sha}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/search/${org}/sha/${CLI}`, needs: 'reader' });

  it('finds an artifact by its fingerprint', async () => {
    const acme = await searcher();
    await acme.report('cli');
    const { json } = await acme.get(`/artifacts/${acme.org}/web/fingerprint/${CLI}`);
    const { artifact_id: id, html_url: url, created_at: at } = json as Record<string, unknown>;
    expect(await acme.find(CLI)).toEqual({
      resolved_to: {
        type: 'fingerprint',
        full_match: CLI,
        fingerprints: { type: 'fingerprint', count: 1, matches: [CLI] },
        commits: { type: 'commit', count: 0, matches: [] },
      },
      artifacts: [
        {
          fingerprint: CLI,
          name: 'registry.example/cli:1.0',
          flow: 'web',
          git_commit: shaOf('c'),
          has_provenance: true,
          build_url: 'https://ci.example/builds/1',
          html_url: url,
          commit_url: `https://git.example/acme/web/commit/${shaOf('c')}`,
          compliance_state: 'COMPLIANT',
          running_in: [],
          exited_from: [],
          history: [{ event: 'cli reported', timestamp: at }],
        },
      ],
    });
    expect(url).toContain(String(id));
    expect(at).toSatisfy(isTime);
  });

  describe('an organization with three artifacts', () => {
    let acme: Awaited<ReturnType<typeof searcher>>;
    beforeAll(async () => {
      acme = await searcher();
      await acme.report('cli', committed('abcde1'));
      await acme.report('lib', committed('abcde1'));
      await acme.report('old', committed('12345'));
    });

    it.each([5, 6, 20, 63, 64])('finds an artifact by the first %i characters of its fingerprint', async (digits) => {
      const { resolved_to: to } = await acme.find(CLI.slice(0, digits));
      expect([to.type, to.full_match]).toEqual(['fingerprint', CLI]);
    });

    it.each([5, 39, 40])('finds the artifacts of a commit by its first %i characters', async (digits) => {
      const full = 'abcde1'.padEnd(40, '0');
      const { resolved_to: to } = await acme.find(full.slice(0, digits));
      expect(to).toEqual({
        type: 'commit',
        full_match: full,
        fingerprints: { type: 'fingerprint', count: 0, matches: [] },
        commits: { type: 'commit', count: 1, matches: [full] },
      });
      expect(await acme.found(full.slice(0, digits))).toEqual([
        'web/registry.example/lib:1.0',
        'web/registry.example/cli:1.0',
      ]);
    });
  });

  it('shows the latest report in each flow that has the fingerprint', async () => {
    const acme = await searcher();
    await acme.report('cli', { filename: 'one' });
    await acme.report('cli', { filename: 'two' });
    await acme.report('cli', { filename: 'three' }, 'other');
    expect(await acme.found(CLI)).toEqual(['other/three', 'web/two']);
    expect(await acme.found(shaOf('c'))).toEqual(['other/three', 'web/two']);
  });

  it('shows a report with the requested commit, even if a later report named another commit', async () => {
    const acme = await searcher();
    await acme.report('cli', { ...committed('abcde1'), filename: 'one' });
    await acme.report('cli', { ...committed('12345'), filename: 'two' });
    expect(await acme.found('abcde')).toEqual(['web/one']);
    expect(await acme.found(CLI)).toEqual(['web/two']);
  });

  it('answers ambiguous if several artifacts match, and lists the newest first', async () => {
    const acme = await searcher();
    const at = (digits: string) => ({ fingerprint: digits.padEnd(64, '0') });
    await acme.report('a', { ...at('abcde1'), ...committed('12345') });
    await acme.report('b', { ...at('abcde2'), ...committed('12345') });
    await acme.report('c', { ...at('99999'), ...committed('abcde3') });
    const { resolved_to: to } = await acme.find('abcde');
    expect(to).toEqual({
      type: 'ambiguous',
      full_match: 'abcde',
      fingerprints: {
        type: 'fingerprint',
        count: 2,
        matches: ['abcde2'.padEnd(64, '0'), 'abcde1'.padEnd(64, '0')],
      },
      commits: { type: 'commit', count: 1, matches: ['abcde3'.padEnd(40, '0')] },
    });
    expect(await acme.found('abcde')).toEqual([
      'web/registry.example/c:1.0',
      'web/registry.example/b:1.0',
      'web/registry.example/a:1.0',
    ]);
    expect((await acme.find('abcde1')).resolved_to.type).toBe('fingerprint');
  });

  it('shows the verdict of the trail', async () => {
    const acme = await searcher();
    await acme.report('cli');
    await acme.attest('generic', { attestation_name: 'scan', artifact_fingerprint: CLI, is_compliant: false });
    expect((await acme.find(CLI)).artifacts).toMatchObject([{ compliance_state: 'NON-COMPLIANT' }]);
  });

  it('finds artifacts of an archived flow under its archived name', async () => {
    const acme = await searcher();
    await acme.report('cli');
    await acme.call('PUT', `/flows/${acme.org}/web/archive`, { text: 'null' });
    expect((await acme.find(CLI)).artifacts[0]?.flow).toMatch(/^web-archived-at-\d+$/);
  });

  it('shows where an artifact runs and ran, with its history', async () => {
    const acme = await searcher();
    await acme.report('cli');
    const { table, clock } = api.services;
    const environments: Record<string, string> = {};
    for (const name of ['prod', 'stage']) {
      await acme.call('PUT', `/environments/${acme.org}`, { json: { name, type: 'K8S' } });
      environments[name] = (await findEnvironment(table, acme.id, testName(name)))?.id ?? '';
    }
    const writeRun = (name: string, index: number, running: boolean) =>
      recordRunning(
        table,
        acme.id,
        testId(environments[name] ?? ''),
        { index, at: clock.now(), start: index },
        { fingerprint: CLI, running },
      );
    await writeRun('stage', 2, true);
    await writeRun('prod', 7, true);
    await writeRun('stage', 3, false);
    const [artifact] = (await acme.find(CLI)).artifacts;
    expect(artifact).toMatchObject({ running_in: ['prod'], exited_from: ['stage'] });
    expect(artifact?.history.map(({ event }) => event)).toEqual([
      'cli reported',
      'Started running in stage#2 environment',
      'Started running in prod#7 environment',
      'No longer running in stage#3 environment',
    ]);
    await acme.call('PUT', `/environments/${acme.org}/prod/archive`, { text: 'null' });
    const [since] = (await acme.find(CLI)).artifacts;
    expect(since).toMatchObject({ running_in: [], exited_from: ['stage'] });
  });

  it('finds a fingerprint and a commit that begin alike if the commit has hundreds of reports', async () => {
    const acme = await searcher();
    const commit = CLI.slice(0, 40);
    await acme.report('cli', committed(commit));
    const { table } = api.services;
    const [entry] = await findByCommit(table, acme.id, commit);
    const items = Array.from({ length: 500 }, (_, i) => commitEntryKey(acme.id, commit, `${entry?.artifact}-${i}`));
    await table.putMany(items.map((key) => ({ ...key, v: 1, ...entry })));
    const found = await acme.find(CLI.slice(0, 8));
    expect(found.resolved_to).toMatchObject({ fingerprints: { matches: [CLI] }, commits: { matches: [commit] } });
    expect(found.artifacts).toMatchObject([{ fingerprint: CLI }]);
  });

  it('shows the newest 100 artifacts, and counts all of them', async () => {
    const acme = await searcher();
    const entries = Array.from({ length: 105 }, (_, i) => `abcde${String(i).padStart(3, '0')}`.padEnd(64, '0'));
    const [first = '', ...others] = entries;
    // Copies do for the number of matches, which depends on no hashes.
    await writeWithCopies(
      api.services,
      acme.id,
      () => acme.report('cli', { fingerprint: first, ...committed('12345') }),
      others.map((fingerprint) => ({ texts: { [first]: fingerprint } })),
    );
    const { resolved_to: to, artifacts } = await acme.find('abcde');
    expect([to.fingerprints.count, artifacts.length]).toEqual([105, 100]);
    expect(artifacts[0]?.fingerprint).toBe(entries.at(-1));
  });

  it('does not find artifacts of another organization', async () => {
    const [acme, other] = [await searcher(), await searcher()];
    await other.report('cli');
    expect(refusal(await acme.get(`/search/${acme.org}/sha/${CLI}`))).toEqual([
      404,
      { message: `No matches for '${CLI}'.` },
    ]);
  });

  it.each(['abcde', 'zzzzz', 'ABCDE', 'a'.repeat(65), "a' or 'b", '{sha}x', '流流流流流'])(
    'says that nothing matches %s',
    async (sha) => {
      expect(refusal(await empty.get(`/search/${empty.org}/sha/${sha}`))).toEqual([
        404,
        { message: `No matches for '${sha}'.` },
      ]);
    },
  );

  it.each(['a', 'abcd'])('refuses %s as too short', async (sha) => {
    expect(refusal(await empty.get(`/search/${empty.org}/sha/${sha}`))).toEqual(
      invalidFields({ sha: `String should have at least 5 characters [input: ${sha}]` }),
    );
  });
});
