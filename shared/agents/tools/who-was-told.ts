import { AnyEnvironmentName, AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { timeText } from '#shared/base/texts/instants.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { type ListedDelivery, listAllDeliveries } from '#shared/notifications/list-deliveries.ts';
import { quote } from '../rules/quote.ts';
import { tool } from '../tool.ts';
import { instant, microsOf } from './fields.ts';

/** Deliveries that are read for one answer. */
const MOST_DELIVERIES = 50;

/** Says who was told of events (rules/agents.md#tools). */
export const whoWasTold = tool({
  name: 'who_was_told',
  title: 'Who was told of an event?',
  description:
    'Lists the newest messages that actions sent: of which event, by which action, whether they arrived, and the last answer. Narrow by environment, flow, trail and time.',
  input: {
    environment: AnyEnvironmentName.min(1).max(200).optional().describe('Name of the environment at the time'),
    flow: AnyFlowName.min(1).max(200).optional().describe('Name of the flow at the time'),
    trail: AnyTrailName.min(1).max(200).optional().describe('Name of the trail'),
    from: instant,
    until: instant,
  },
  access: 'reader',
  run: async ({ services, org, host }, { environment, flow, trail, from, until }) => {
    const filter = { environment, flow, trail, from: microsOf(from), to: microsOf(until) };
    const page = { after: undefined, limit: MOST_DELIVERIES };
    const { deliveries, names, next } = await listAllDeliveries(services, org, filter, page);
    const read = deliveries.flatMap((one) => ('unreadable' in one ? [] : [one]));
    return {
      verdict: `${read.length === 0 ? 'No message was sent' : `${read.length}${next === null ? '' : ' or more'} messages were sent`} of events like these.`,
      facts: { messages: read.length, has_older: next !== null },
      rows: read.map((one) => deliveryRow(one, names)),
      ask: 'Ask who_was_told again with `until` before the oldest message of this answer.',
      citations: [{ what: 'the deliveries', url: pageUrl({ host, org }, '/{org}/deliveries', {}) }],
    };
  },
});

function deliveryRow({ delivery, last }: ListedDelivery, names: ReadonlyMap<number, string>) {
  const { notice, state, action } = delivery;
  const name = names.get(action);
  const at = timeText(notice.at);
  const outcome = last === null ? 'not tried yet' : `last tried ${timeText(last.at)}`;
  return {
    sentence: `${at} ${notice.trigger}: ${quote(notice.description)}, action ${action}${name === undefined ? '' : ` ${quote(name)}`}: ${state}, ${outcome}`,
    facts: { at, trigger: notice.trigger, action, name: name === undefined ? null : quote(name), state },
  };
}
