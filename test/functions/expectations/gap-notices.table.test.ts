import { describe, expect, it } from 'vitest';
import { actionsGroup } from '#functions/actions/endpoints.ts';
import { environmentNotificationsGroup } from '#functions/environment-notifications/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { expectationsGroup } from '#functions/expectations/endpoints.ts';
import { testApi } from '#test/support/api.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { expectingOrganization } from './expectations-api.ts';
import { GAP_MINUTE as MINUTE, sweepsOf } from './gap-sweeps.ts';

const api = await testApi([expectationsGroup, environmentsGroup, environmentNotificationsGroup, actionsGroup]);
const { clock } = api.services;

const BOTH = ['ON_EXPECTATION_MISSED', 'ON_EXPECTATION_MET_AGAIN'];

/** An organization whose `prod` reports now and has to every 20 minutes, and what its notifications were told. */
async function watched() {
  const acme = await expectingOrganization(api);
  await acme.make('other');
  const notify = (name: string, environments: string[], triggers: string[]) =>
    acme.send('PUT', '/organizations/ORG/environments_notifications', {
      ...{ name, type: 'env', environments, triggers },
      targets: [{ type: 'WEBHOOK', webhook: `https://hooks.example.com/${name}` }],
    });
  const sweeps = sweepsOf(api.services, acme.id);
  /** The messages to a notification, the oldest event first. */
  const told = async (number: number) => {
    const { json } = await acme.call('GET', `/actions/ORG/${number}/deliveries`, { query: 'include=message' });
    // The body of a list of deliveries.
    const { deliveries } = json as { deliveries: { event: { type: string }; message: { text: string } }[] };
    return deliveries.map(({ message }) => JSON.parse(message.text)).toReversed();
  };
  const types = async (number: number) => (await told(number)).map(({ event_type }) => event_type);
  /** Lets time pass with a sweep in each minute, from which on no minute is unknown. */
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.advance(MINUTE);
      await sweeps.sweep();
    }
  };
  const begin = async () => {
    await acme.put({ owner: 'team-web', severity: 'critical' });
    await acme.report('prod');
    await sweeps.sweep();
  };
  return { ...acme, sweeps, notify, told, types, pass, begin };
}

describe('notifications of gaps', () => {
  it('are one message when reports are missed and one when they come again, however often anybody looks', async () => {
    const acme = await watched();
    await acme.notify('both', ['other', 'prod'], BOTH);
    await acme.notify('end-only', ['prod'], ['ON_EXPECTATION_MET_AGAIN']);
    await acme.notify('elsewhere', ['other'], BOTH);
    await acme.notify('verdicts', ['prod'], ['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV']);
    await acme.begin();
    await acme.pass(23);
    expect(await acme.sweeps.tell()).toEqual({ messages: 1, failed: 0 });
    await acme.pass(6);
    await acme.sweeps.tell();
    expect(await acme.types(1)).toEqual(['EXPECTATION_MISSED']);
    const { json } = await acme.call('GET', '/gaps/ORG');
    // The body of a list of gaps.
    const [gap] = (json as { gaps: Record<string, unknown>[] }).gaps;
    expect((await acme.told(1))[0]).toMatchObject({
      environment: 'prod',
      html_url: expect.stringMatching(`/${acme.org}/gaps/${gap?.['id']}$`),
      gap: {
        ...{ id: gap?.['id'], expectation: 'alive', severity: 'critical', owner: 'team-web', from: gap?.['from'] },
        subject: { type: 'environment', environment: 'prod' },
      },
    });
    await acme.report('prod');
    await acme.sweeps.relay();
    await acme.sweeps.tell();
    await acme.sweeps.tell();
    expect(await acme.types(1)).toEqual(['EXPECTATION_MISSED', 'EXPECTATION_MET_AGAIN']);
    expect(await acme.types(2)).toEqual(['EXPECTATION_MET_AGAIN']);
    expect([await acme.types(3), await acme.types(4)]).toEqual([[], []]);
    const explained = async (trigger: string, more = '') => {
      const query = `gap=${gap?.['id']}&trigger=${trigger}${more}`;
      const { status, json: body } = await acme.call('GET', '/deliveries/ORG/explain', { query });
      if (status !== 200) return status;
      // The body of an explanation.
      const { event, actions } = body as {
        event: object;
        actions: { mismatch: string | null; targets: { delivery: object | null }[] }[];
      };
      expect(event).toMatchObject({ trigger, environment: 'prod', html_url: expect.stringContaining('/gaps/') });
      return actions.map(({ mismatch, targets }) => mismatch ?? targets.map(({ delivery }) => delivery !== null));
    };
    expect(await explained('ON_EXPECTATION_MISSED')).toEqual([[true], 'trigger', 'environment', 'trigger']);
    expect(await explained('ON_EXPECTATION_MET_AGAIN')).toEqual([[true], [true], 'environment', 'trigger']);
    expect(await explained('ON_COMPLIANT_ENV')).toBe(404);
    expect(await explained('ON_EXPECTATION_MISSED', '&environment=prod')).toBe(400);
    // An excuse says nothing new, also if the relay sees it.
    await acme.send('POST', `/gaps/ORG/${gap?.['id']}/excuse`, { text: 'The machine moved' });
    await acme.sweeps.tell();
    expect(await acme.types(1)).toHaveLength(2);
    // The next silence is another gap.
    await acme.pass(24);
    await acme.sweeps.tell();
    expect(await acme.types(1)).toEqual(['EXPECTATION_MISSED', 'EXPECTATION_MET_AGAIN', 'EXPECTATION_MISSED']);
    expect(await acme.sweeps.makeUp()).toEqual([]);
  });

  it('are explained only for an event of the organization that a query names completely', async () => {
    const acme = await watched();
    const statusOf = async (query: string) => (await acme.call('GET', '/deliveries/ORG/explain', { query })).status;
    expect(await statusOf('gap=x&trigger=ON_EXPECTATION_MISSED')).toBe(404);
    expect(await statusOf(`gap=${acme.id}&trigger=ON_EXPECTATION_MISSED`)).toBe(404);
    expect(await statusOf(`gap=${acme.id}`)).toBe(400);
    expect(await statusOf('environment=prod&snapshot=1&trigger=ON_EXPECTATION_MISSED')).toBe(404);
  });

  it('are not sent while a gap is unknown, and are sent once it is open', async () => {
    const acme = await watched();
    await acme.notify('both', ['prod'], BOTH);
    await acme.begin();
    clock.advance(10 * MINUTE);
    await acme.pass(14);
    expect(await acme.sweeps.tell()).toEqual({ messages: 0, failed: 0 });
    await acme.pass(10);
    expect(await acme.sweeps.tell()).toEqual({ messages: 1, failed: 0 });
    expect(await acme.types(1)).toEqual(['EXPECTATION_MISSED']);
  });

  it('never tell of a gap that stays unknown, nor a notification that was saved later', async () => {
    const acme = await watched();
    await acme.notify('both', ['prod'], BOTH);
    await acme.begin();
    clock.advance(30 * MINUTE);
    await acme.sweeps.sweep();
    await acme.report('prod');
    await acme.sweeps.relay();
    await acme.sweeps.tell();
    expect(await acme.types(1)).toEqual([]);
    await acme.pass(24);
    await acme.notify('late', ['prod'], BOTH);
    await acme.sweeps.tell();
    expect([await acme.types(1), await acme.types(2)]).toEqual([['EXPECTATION_MISSED'], []]);
  });

  it('come by the sweep of events if the relay never saw the gap, once', async () => {
    const acme = await watched();
    await acme.notify('both', ['prod'], BOTH);
    await acme.begin();
    await acme.pass(23);
    // What has not settled may still be on its way.
    expect(await acme.sweeps.makeUp()).toEqual([]);
    await acme.pass(3);
    expect(await acme.sweeps.makeUp()).toEqual([['audit', 1]]);
    expect(await acme.types(1)).toEqual(['EXPECTATION_MISSED']);
    expect(await acme.sweeps.makeUp()).toEqual([]);
    await acme.sweeps.tell();
    expect(await acme.types(1)).toHaveLength(1);
  });

  it.each(['timeout-before', 'timeout-after'] as const)(
    'come with the next attempt of the relay after a %s',
    async (how) => {
      const acme = await watched();
      await acme.notify('both', ['prod'], BOTH);
      await acme.begin();
      await acme.pass(23);
      const table = faultyTable(api.services.table, ({ command }) => (command === 'TransactWrite' ? how : undefined));
      const first = await acme.sweeps.tell({ table });
      const second = await acme.sweeps.tell();
      expect([first, second]).toEqual([
        { messages: 0, failed: 1 },
        { messages: 1, failed: 0 },
      ]);
      expect(await acme.types(1)).toEqual(['EXPECTATION_MISSED']);
    },
  );
});
