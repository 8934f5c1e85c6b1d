import { describe, expect, it } from 'vitest';
import { onServer } from '#test/support/environments.ts';
import { refusal } from '#test/support/evidence.ts';
import { readingOrganization, snapshotsApi } from './snapshots-api.ts';

const api = await snapshotsApi();

describe('an expression in the path of a snapshot', () => {
  const setup = async () => {
    const acme = await readingOrganization(api);
    await acme.putEnvironment('prod');
    return acme;
  };

  it('accepts every form of expression, and names a missing snapshot', async () => {
    const acme = await setup();
    for (const content of ['a', 'b', 'c']) await acme.run('prod', onServer({ app: content }));
    const instant = (index: number) => acme.snapshots('prod').then((all) => (all[index - 1]?.at ?? 0) / 1000);
    const at = `@{${new Date((await instant(2)) + 1).toISOString().slice(0, 23)}}`;
    const index = async (text: string) => (await acme.snapshot('prod', text)).index;
    const found = Object.entries({
      '1': 1,
      '#2': 2,
      '3': 3,
      '-1': 3,
      '-3': 1,
      '~0': 3,
      '~': 2,
      '~2': 1,
      '@{now}': 3,
    });
    for (const [text, expected] of found) expect([text, await index(text)]).toEqual([text, expected]);
    // Two snapshots may have been made within the millisecond that the text can say.
    expect([2, 3]).toContain(await index(at));
    const second = await acme.snapshot('prod', '2');
    const third = await acme.snapshot('prod', '3');
    expect([second.is_latest, second.next_snapshot_timestamp]).toEqual([false, third.timestamp]);

    const outOfRange = (label: string, resolved: number, env = 'prod', count = 3) => [
      404,
      {
        message: `Org: '${acme.org}'. Snapshot '${label}' resolves to '${env}#${resolved}'. len(snapshots) == ${count}. Indexes are 1-based`,
      },
    ];
    const ask = async (text: string, env = 'prod') => refusal(await acme.ask(env, text));
    expect(await ask('23')).toEqual(outOfRange('prod#23', 23));
    expect(await ask('#23')).toEqual(outOfRange('prod#23', 23));
    expect(await ask('0')).toEqual(outOfRange('prod#0', 0));
    expect(await ask('-4')).toEqual(outOfRange('prod#-4', 0));
    expect(await ask('~3')).toEqual(outOfRange('prod~3', 0));
    expect(await ask('@{2001-01-01T00:00:00}')).toEqual(outOfRange('prod@{2001-01-01T00:00:00}', 0));
    await acme.putEnvironment('empty');
    expect(await ask('-1', 'empty')).toEqual(outOfRange('empty#-1', 0, 'empty', 0));
  });

  it('refuses a malformed expression before it looks for the environment', async () => {
    const acme = await setup();
    const form = 'It should be a snapshot index, #N, ~N, @{YYYY-MM-DDTHH:MM:SS} or @{N.<units>.ago}';
    for (const text of ['#abc', 'abc', '@{tomorrow}', '1.5', 'x'.repeat(4000)]) {
      expect(refusal(await acme.ask('nowhere', text))).toEqual([
        400,
        { message: `invalid expression: ${text}. ${form}` },
      ]);
    }
    expect(refusal(await acme.ask('nowhere', '#1~1'))).toEqual([
      400,
      { message: "invalid expression: #1~1. Only one of '@', '~' or '#' can be present" },
    ]);
  });

  it('answers 404 for an unknown environment, and 404 with another sentence for an archived one', async () => {
    const acme = await setup();
    await acme.call('PUT', `/environments/${acme.org}/prod/archive`, { text: 'null' });
    expect(refusal(await acme.ask('prod'))).toEqual([
      404,
      { message: `Environment named 'prod' has been archived for organization '${acme.org}'` },
    ]);
    for (const env of ['nowhere', 'a b', 'x'.repeat(5000)]) {
      expect(refusal(await acme.ask(env, '1'))).toEqual([
        404,
        { message: `Environment named '${env}' does not exist for organization '${acme.org}'` },
      ]);
    }
  });
});
