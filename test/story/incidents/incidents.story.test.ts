import { GetAccountCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { waitingMessages } from '#infra/local/events/queues.ts';
import { localClient } from '#infra/local/settings.ts';
import type { LogEntry } from '#shared/base/log-lines.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { sweepDue } from '#shared/notifications/sweep-due.ts';
import { appendedOf } from '../log-of-stack.ts';
import { KEY } from '../stack-api.ts';
import { type IncidentStack, incidentStack } from './incident-stack.ts';
import { pullLever } from './pull-lever.ts';

const TIMEOUT = { timeout: 60_000 };
const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const PERIOD_SECONDS = 300;
/** Changes that the organization sends in a period, and transactions that the table serves in it. */
const FLOOD = 150;
const CAPACITY = 115;

const stackOfFile = incidentStack();

/** Counts lines by a field, as `stats count(*) by field` of a query does. */
const countsBy = (lines: readonly LogEntry[], field: string): Map<unknown, number> => {
  const counts = new Map<unknown, number>();
  for (const line of lines) counts.set(line[field], (counts.get(line[field]) ?? 0) + 1);
  return counts;
};

describe('incidents', () => {
  it('StuckLogEntries goes off while the event source of the integrator is disabled, and ends once it is enabled', async () => {
    const stack = stackOfFile();
    const { clock, alarms, lines } = stack;
    const isRaised = () => alarms.stateOf('StuckLogEntries', clock.now()).isRaised;
    const sampleAge = async () => {
      const [metric, age] = ['ApproximateAgeOfOldestMessage', await ageOfOldest(stack)];
      alarms.takeSample('StuckLogEntries', metric, 'GetAttLogEntriesQueueName', clock.now(), age);
    };
    const waiting = async () => (await waitingMessages(stack.endpoints.sqs)).get('log-entries') ?? 0;
    const receipts: string[] = [];
    const { call } = stack.callsOf('logging', (headers) => {
      receipts.push(...appendedOf(headers).map(({ receipt }) => receipt));
    });
    const receiptStatuses = async () => {
      clock.advance(SECOND);
      const headers = { authorization: `Bearer ${KEY}` };
      const answers = await Promise.all(receipts.map((path) => fetch(stack.url + path, { headers })));
      return new Set(answers.map(({ status }) => status));
    };
    const settled = () => {
      clock.advance(SECOND);
      return waiting();
    };

    // Somebody disabled the event source before the stories began, and forgot it.
    for (const name of ['lint', 'unit-tests', 'scan']) {
      await call('POST', '/attestations/web/trail/run/generic', {
        form: { attestation_name: name, is_compliant: true },
      });
    }
    await expect.poll(waiting, TIMEOUT).toBeGreaterThan(0);
    clock.advance(2 * MINUTE);
    await sampleAge();
    clock.advanceToEndOf(PERIOD_SECONDS);
    expect(isRaised()).toBe(false);
    clock.advance(4 * MINUTE);
    await sampleAge();
    clock.advanceToEndOf(PERIOD_SECONDS);
    expect(isRaised()).toBe(true);
    expect(await receiptStatuses()).toEqual(new Set([202]));

    // Steps 1, 2 and 4: messages wait, and no call of the integrator works on them.
    expect(await waiting()).toBeGreaterThan(0);
    expect(lines.filter(({ service }) => service === 'integrator')).toEqual([]);
    await pullLever(stack, 'StuckLogEntries', '--enabled');
    await expect.poll(receiptStatuses, { ...TIMEOUT, interval: 500 }).toEqual(new Set([200]));
    await expect.poll(settled, { ...TIMEOUT, interval: 500 }).toBe(0);
    clock.advanceToEndOf(PERIOD_SECONDS);
    await sampleAge();
    clock.advanceToEndOf(PERIOD_SECONDS);
    expect(isRaised()).toBe(false);
  });

  it('MailsRefused goes off while the mail service refuses mails, and the runbook sends all of them', async () => {
    const stack = stackOfFile();
    const { clock, mails, alarms, lines } = stack;
    const { call, get } = stack.callsOf('mailing');
    const isRaised = () => alarms.stateOf('MailsRefused', clock.now()).isRaised;
    const attest = (name: string) =>
      call('POST', '/attestations/web/trail/run/generic', { form: { attestation_name: name, is_compliant: true } });
    const targets = [{ type: 'EMAIL', emails: ['ann@example.com'] }];
    await call('PUT', '/actions/flows', { json: { name: 'team', targets, triggers: ['ON_ATTESTATION'] } });
    const states = async () => {
      const { deliveries } = await get<{ deliveries: { state: string }[] }>('/deliveries');
      return deliveries.map(({ state }) => state);
    };

    mails.suspend();
    for (const name of ['lint', 'unit-tests', 'scan']) await attest(name);
    await expect.poll(() => mails.refused(), TIMEOUT).toBeGreaterThanOrEqual(3);
    const refusals = () => lines.filter(({ target, outcome }) => target === 'EMAIL' && outcome === 'failed');
    await expect.poll(() => refusals().length, TIMEOUT).toBeGreaterThanOrEqual(3);
    clock.advanceToEndOf(PERIOD_SECONDS);
    expect(isRaised()).toBe(true);

    // Steps 1 and 2: the fault names the refusal, and the account says that sending is off.
    expect([...countsBy(refusals(), 'fault').keys()]).toEqual([
      'The mail was not handed over (SendingPausedException)',
    ]);
    const client = new SESv2Client(localClient(mails.endpoint));
    expect(await client.send(new GetAccountCommand())).toMatchObject({ SendingEnabled: false });

    // Lever: no attempt is used up until the cause is gone.
    await pullLever(stack, 'MailsRefused', '--no-enabled');
    await attest('signature');
    await expect.poll(states, TIMEOUT).toHaveLength(4);
    const refused = mails.refused();
    await expect
      .poll(async () => (await waitingMessages(stack.endpoints.sqs)).get('deliveries'), TIMEOUT)
      .toBeGreaterThan(0);
    expect(mails.refused()).toBe(refused);
    await pullLever(stack, 'MailsRefused', '--sending-enabled');
    expect(await client.send(new GetAccountCommand())).toMatchObject({ SendingEnabled: true });
    await pullLever(stack, 'MailsRefused', ' --enabled');

    // Step 3: deliveries that still have attempts are sent by themselves. The sweep of every minute finds them.
    const sweptStates = async () => {
      clock.advance(MINUTE);
      await sweepDue(stack.services);
      return states();
    };
    await expect
      .poll(sweptStates, { ...TIMEOUT, interval: 500 })
      .toEqual(['delivered', 'delivered', 'delivered', 'delivered']);
    expect(new Set(mails.accepted).size).toBe(4);
    clock.advanceToEndOf(PERIOD_SECONDS);
    clock.advanceToEndOf(PERIOD_SECONDS);
    expect(isRaised()).toBe(false);
  });

  it('TableThrottled goes off while one organization uses the table up, and a limit gives the others their share', async () => {
    const stack = stackOfFile();
    const { clock, capacity, alarms, lines } = stack;
    const isRaised = () => alarms.stateOf('TableThrottled', clock.now()).isRaised;
    const quiet = stack.callsOf('quiet');
    const flooding = stack.callsOf('flooding');
    const accepted: string[] = [];
    /** A period in which one organization sends many changes, and another one a few. @returns their answers by status */
    const playPeriod = async (period: number) => {
      capacity.begin(CAPACITY);
      const statuses: number[] = [];
      const from = lines.length;
      await inParallel(Array.from({ length: FLOOD }).keys(), 32, async (i) => {
        const form = { name: `run-${period}-${i}`, description: '' };
        const { status } = await flooding.call('PUT', '/trails/web', { form });
        statuses.push(status);
        if (status === 201) accepted.push(form.name);
      });
      const others = await quiet.call('PUT', '/trails/web', { form: { name: `run-${period}`, description: '' } });
      alarms.takeSample('TableThrottled', 'WriteThrottleEvents', 'EvidenceTable', clock.now(), capacity.throttled);
      const requests = lines.slice(from).filter(({ message }) => message === 'request');
      clock.advanceToEndOf(PERIOD_SECONDS);
      return { statuses: new Set(statuses), others: others.status, throttled: capacity.throttled, requests };
    };

    for (const { call } of [quiet, flooding]) {
      await call('PUT', '/flows/template_file', { form: { name: 'web', description: '' } });
    }
    clock.advanceToEndOf(PERIOD_SECONDS);
    const first = await playPeriod(1);
    expect([first.statuses, first.throttled >= 50]).toEqual([new Set([201]), true]);
    expect(isRaised()).toBe(false);
    await playPeriod(2);
    expect(isRaised()).toBe(true);

    // Step 2: the lines of requests name the organization.
    const [[busiest]] = [...countsBy(first.requests, 'organization')].toSorted(([, one], [, other]) => other - one) as [
      [unknown, number],
    ];
    expect(busiest).toBe('flooding');

    const printed = await pullLever(stack, 'TableThrottled', 'limit-organization', { NAME: String(busiest) });
    expect(printed).toContain("'flooding' has limits of its own");
    clock.advance(MINUTE);
    clock.advanceToEndOf(PERIOD_SECONDS);
    for (const period of [3, 4]) {
      const { statuses, others } = await playPeriod(period);
      expect([statuses, others]).toEqual([new Set([201, 429]), 201]);
    }
    expect(isRaised()).toBe(false);

    // Step 3: nothing that was accepted is lost.
    capacity.begin(Number.POSITIVE_INFINITY);
    const listed = await flooding.get<{ pagination: { total: number } }>('/trails/web?per_page=1');
    expect(listed.pagination.total).toBe(accepted.length);
  }, 300_000);
});

/** Returns the age of the oldest message of the queue of log entries, in seconds of the story; 0 if there is none. */
async function ageOfOldest({ endpoints, clock }: IncidentStack): Promise<number> {
  const client = new SQSClient(localClient(endpoints.sqs));
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: `${endpoints.sqs}/000000000000/log-entries`,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 0,
      MessageSystemAttributeNames: ['SentTimestamp'],
    }),
  );
  client.destroy();
  const now = clock.now();
  const ages = Messages.map(({ Attributes }) => now - clock.shownAt(Number(Attributes?.SentTimestamp)));
  return Math.max(0, ...ages) / 1e6;
}
