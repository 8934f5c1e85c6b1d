import { describe, expect, test } from 'vitest';
import type { FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import { FLOWS, REPOS } from '#shared/evidence/rules/series-kinds.ts';
import { activityKey } from '#shared/series/keys.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { testId } from '#test/support/ids.ts';
import { testTable } from '#test/support/table.ts';
import { attest, momentItems, trailWriter } from '#test/support/trails.ts';
import { MINUTE, momentBody, momentDetails, momentItem, relaySetting, START } from '../relay-setting.ts';

const table = await testTable();
const setup = () => relaySetting(table);

describe('the activity of a flow', () => {
  const activity = async (org: OrganizationId, flow: FlowId) => {
    const item = await table.get(activityKey(org, FLOWS.name, flow));
    return item && { at: item['at'], state: item['state'] };
  };
  const momentAt = (org: OrganizationId, at: number, word: string, flow: FlowId = testId('flow-id-1')): Item =>
    momentItem(org, flow, { at, body: momentBody(word) });

  test('is the time and the word of its latest moment', async () => {
    const { org, clock, hand } = setup();
    const writer = trailWriter(table, org, clock);
    await attest(writer, { flow: 'web', trail: 'one' }, { name: 'tests' });
    await attest(writer, { flow: 'web', trail: 'two' }, { name: 'tests', compliant: false });
    const flow = testId<FlowId>(String((await table.get(storedKey(`${org}#FLOWNAME#web`, 'NAME')))?.['flow']));
    const moments = [...(await momentItems(table, org, flow, 'two')), ...(await momentItems(table, org, flow, 'one'))];
    await hand(moments);
    const times = moments.map((moment) => Number(moment['at']));
    expect(await activity(org, flow)).toEqual({ at: Math.max(...times), state: 'NON-COMPLIANT' });
  });

  test('is right after the call that saw the last moment, whichever container saw the moments before', async () => {
    const { org, clock, hand, container } = setup();
    const other = container();
    await hand([momentAt(org, START, 'INCOMPLETE')]);
    await other.hand([momentAt(org, START + 1, 'COMPLIANT')]);
    await hand([momentAt(org, START + 2, 'INCOMPLETE')]);
    expect(await activity(org, testId('flow-id-1'))).toEqual({ at: START + 2, state: 'INCOMPLETE' });
    // The second container ends after this call. Nothing waits in its memory.
    await other.hand([momentAt(org, START + 3, 'COMPLIANT')]);
    await other.hand([momentAt(org, START + 4, 'COMPLIANT')]);
    clock.advance(MINUTE);
    expect(await activity(org, testId('flow-id-1'))).toEqual({ at: START + 4, state: 'COMPLIANT' });
  });

  test('is never replaced by an older one', async () => {
    const { org, hand } = setup();
    await hand([momentAt(org, START + 9, 'COMPLIANT')]);
    await hand([momentAt(org, START + 1, 'NON-COMPLIANT')]);
    expect(await activity(org, testId('flow-id-1'))).toEqual({ at: START + 9, state: 'COMPLIANT' });
  });
});

describe('the activity of a repository', () => {
  const activity = async (org: OrganizationId, repo: Id) =>
    (await table.get(activityKey(org, REPOS.name, repo)))?.['at'];
  const momentAt = (org: OrganizationId, at: number, repo?: Id): Item =>
    momentItem(org, testId('flow-id-1'), { at, details: momentDetails(repo) });

  test('is the time of the latest report with the repository', async () => {
    const { org, hand } = setup();
    await hand([momentAt(org, START + 1, 'repo-1'), momentAt(org, START + 5, 'repo-1'), momentAt(org, START + 9)]);
    expect([await activity(org, 'repo-1'), await activity(org, 'repo-2')]).toEqual([START + 5, undefined]);
    await hand([momentAt(org, START + 20, 'repo-1'), momentAt(org, START + 3, 'repo-2')]);
    expect([await activity(org, 'repo-1'), await activity(org, 'repo-2')]).toEqual([START + 20, START + 3]);
  });
});
