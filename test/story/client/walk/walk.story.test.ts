import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inParallel } from '#shared/base/parallel.ts';
import { CLIENT_RUNS_HERE, clientStory, KEYS, ORG, PLAIN_ORG } from '../client.ts';
import { commitOf } from '../workspace.ts';
import { type Commands, readCommands } from './commands.ts';
import { stale, undecided } from './coverage.ts';
import { type Driven, drive, type Run } from './drive.ts';
import { fillWalk } from './files.ts';
import { type ForeignServices, startForeignServices } from './foreign-services.ts';
import { attestationRuns, overrideRuns } from './runs-of-attestations.ts';
import { environmentRuns } from './runs-of-environments.ts';
import { idRuns } from './runs-of-ids.ts';
import { organizationRuns } from './runs-of-organizations.ts';
import { assertPullRequestRuns, platformRuns } from './runs-of-platforms.ts';
import { readerRuns } from './runs-of-readers.ts';
import { recordRuns } from './runs-of-records.ts';

/** Runs at once. The client waits for the stack most of its time. */
const WIDTH = 6;

describe.runIf(CLIENT_RUNS_HERE)('every command of the client, with every flag that reaches the service', () => {
  const client = clientStory();
  const driven: Driven[] = [];
  let commands: Commands;
  let foreign: ForeignServices;

  beforeAll(async () => {
    foreign = await startForeignServices();
    fillWalk(client.dir, foreign.url);
    commands = await readCommands(client.dir);
  });

  afterAll(() => foreign.stop());

  /** Runs commands that do not depend on each other. */
  const all = async (runs: readonly Run[]) => {
    const results = await inParallel(runs, WIDTH, (run) => drive(run, commands, client.dir));
    driven.push(...results);
    expect(results.flatMap(({ problems }) => problems)).toEqual([]);
  };

  it('makes records', async () => {
    for (const runs of recordRuns(commitOf(client.dir))) await all(runs);
  });

  it('attests each kind', async () => {
    await all(attestationRuns(commitOf(client.dir), foreign.url));
    await all(overrideRuns(commitOf(client.dir)));
  });

  it('reports and reads environments', async () => {
    const [first = [], ...others] = environmentRuns();
    await all(first);
    await all(platformRuns(foreign.url));
    for (const runs of others) await all(runs);
  });

  it('manages the organization', async () => {
    for (const runs of organizationRuns(ORG, PLAIN_ORG, KEYS)) await all(runs);
  });

  it('reads what was made', async () => {
    await all([...readerRuns(commitOf(client.dir)), ...assertPullRequestRuns(foreign.url)]);
  });

  it('names records by their ids, and ends them', async () => {
    const read = async <T>(path: string): Promise<T> => {
      const headers = { authorization: `Bearer ${KEYS.ann}` };
      return (await (await fetch(`${client.url}/api/v2${path}`, { headers })).json()) as T;
    };
    const attestations = await read<{ attestation_id: string }[]>(`/attestations/${ORG}/walk/trail/t1/sbom`);
    const repos = await read<{ repos: { id: string }[] }>(`/repos/${ORG}?name=acme/walk`);
    const keys = await read<{ id: string }[]>(`/service-accounts/${ORG}/robot/api-keys`);
    const ids = {
      attestation: attestations[0]?.attestation_id ?? '',
      repo: repos.repos[0]?.id ?? '',
      keys: [keys[0]?.id ?? '', keys[1]?.id ?? ''] as const,
    };
    for (const runs of idRuns(ids)) await all(runs);
  });

  it('sends nothing in a dry run', async () => {
    const create = ['create', 'control', 'CTL-2', '--name', 'Never', '--description', 'Never', '--dry-run'];
    await all([{ args: create, local: true, prints: /THIS IS A DRY-RUN/ }]);
  });

  it('has a run or a reason for each command and each flag', () => {
    expect(undecided(commands, driven)).toEqual([]);
    expect(stale(commands, driven)).toEqual([]);
  });
});
