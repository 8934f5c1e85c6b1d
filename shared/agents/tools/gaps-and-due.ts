import * as z from 'zod';
import { timeText } from '#shared/base/texts/instants.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { type GapFilter, listGaps } from '#shared/expectations/gaps/list-gaps.ts';
import { type ListedExpectation, listExpectations } from '#shared/expectations/read-expectations.ts';
import { GAP_STATES, type Gap, shownState } from '#shared/expectations/rules/gaps/gap.ts';
import { quote } from '../rules/quote.ts';
import { tool } from '../tool.ts';
import { instant, microsOf } from './fields.ts';

/** Gaps, and expectations, that are read for one answer. */
const MOST_READ = 50;

/** Lists gaps and what is due next (rules/agents.md#tools). */
export const gapsAndDue = tool({
  name: 'gaps_and_due',
  title: 'What is missing, and what is due next?',
  description:
    'Lists gaps: times in which something that an expectation asks for did not come, such as reports of an environment. Says also when each expectation is due next. Narrow by expectation, by the name of an environment or flow, by state and by time.',
  input: {
    state: z.enum(GAP_STATES).optional().describe('State of the gaps. Without it: open ones'),
    expectation: z.string().min(1).max(200).optional().describe('Name of the expectation'),
    subject: z.string().min(1).max(200).optional().describe('Name of an environment or a flow'),
    from: instant,
    until: instant,
  },
  access: 'reader',
  run: async ({ services, org, host }, { state = 'open', expectation, subject, from, until }) => {
    const filter: GapFilter = {
      state,
      expectation,
      subject,
      kind: undefined,
      from: microsOf(from),
      until: microsOf(until),
    };
    const [{ gaps, next }, { expectations }] = await Promise.all([
      listGaps(services, org.id, filter, { after: undefined, limit: MOST_READ }),
      listExpectations(services, org.id, { after: undefined, limit: MOST_READ, withCounts: true }),
    ]);
    const read = gaps.flatMap((one) => ('unreadable' in one ? [] : [one]));
    const due = expectations.flatMap((one) => ('unreadable' in one || !isAsked(one, expectation) ? [] : dueRow(one)));
    return {
      verdict: `${read.length}${next === null ? '' : ' or more'} gaps in the state ${state}.`,
      facts: { state, gaps: read.length, has_more: next !== null },
      rows: [...read.map(gapRow), ...due],
      ask: 'Ask gaps_and_due again with `expectation`, `subject` or a shorter time.',
      citations: [{ what: 'the gaps', url: pageUrl({ host, org }, '/{org}/gaps', {}) }],
    };
  },
});

const isAsked = ({ name }: ListedExpectation, expectation: string | undefined): boolean =>
  expectation === undefined || expectation === name;

function gapRow(gap: Gap) {
  const { expectation, subject, severity, from } = gap;
  const about = 'name' in subject ? `the ${subject.type} ${quote(subject.name)}` : 'all that it is about';
  const state = shownState(gap);
  return {
    sentence: `${quote(expectation.name)} is missed by ${about} since ${timeText(from)} (${severity}, ${state})`,
    facts: { gap: gap.id, expectation: quote(expectation.name), about, severity, state, from: timeText(from) },
  };
}

/** Nothing for an expectation of which nothing is due, or of which only gaps are counted. */
function dueRow({ name, summary }: ListedExpectation) {
  if (!summary || !('nextDue' in summary) || summary.nextDue === null) return [];
  const due = timeText(summary.nextDue);
  return [{ sentence: `${quote(name)} is due next at ${due}`, facts: { expectation: quote(name), due } }];
}
