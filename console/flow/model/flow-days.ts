import { paceText } from '../../model/pace.ts';
import { STATES, type StateName } from '../../model/states.ts';
import { utcDay } from '../../model/time.ts';
import { count } from '../../model/words.ts';
import type { FlowFrequency } from '../operations.ts';

type Trails = FlowFrequency['trails'];
type TrailDay = Trails['days'][number];

const DAY = 86_400;

/** A day of a flow: the worst state of the trails that began on it. */
interface FlowDay {
  key: string;
  /** `22 Nov 2026: 2 compliant, 1 incomplete`. */
  label: string;
  /** Null if no trail began, unknown if the trails of the day were not counted. */
  state: StateName | null;
}

const STATES_OF_DAY = ['non-compliant', 'incomplete', 'compliant'] as const satisfies readonly StateName[];
type StateOfDay = (typeof STATES_OF_DAY)[number];

const numberOf = (day: TrailDay, state: StateOfDay): number =>
  state === 'non-compliant' ? day.non_compliant : day[state];

const statesText = (numberIn: (state: StateOfDay) => number): string =>
  STATES_OF_DAY.filter((state) => numberIn(state) > 0)
    .map((state) => `${numberIn(state)} ${STATES[state].word.toLowerCase()}`)
    .join(', ');

/** The days of a flow, oldest first. Of a day that was counted in part, a failure is still a failure. */
export const flowDays = ({ days, counted_from: from }: Trails): FlowDay[] =>
  days.map((day) => {
    const isPartial = day.timestamp < from;
    const worst = STATES_OF_DAY.find((state) => numberOf(day, state) > 0);
    const state = isPartial && worst !== 'non-compliant' ? 'unknown' : (worst ?? null);
    const text = statesText((one) => numberOf(day, one)) || (isPartial ? 'not counted' : 'no trail');
    return { key: day.date, label: `${utcDay(day.timestamp)}: ${text}`, state };
  });

export const trailsOfDay = (day: TrailDay): number => day.compliant + day.incomplete + day.non_compliant;

/** How many trails began, and how they stand: `41 trails in 30 days: 38 compliant, 1 incomplete`. */
export function flowDaysSentence({ total, days, counted_from: from }: Trails): string {
  const period = count(days.length, 'day');
  if (total === 0) return `No trail began in ${period}.`;
  const counted = days.reduce((sum, day) => sum + trailsOfDay(day), 0);
  const states = statesText((state) => days.reduce((sum, day) => sum + numberOf(day, state), 0));
  if (counted >= total)
    return `${count(total, 'trail')} in ${period}: ${states}. ${paceText(total, days.length, 'trail')}`;
  return `${count(total, 'trail')} in ${period}. The newest ${counted}, since ${utcDay(from - (from % DAY))}: ${states}.`;
}

/** How often artifacts of the flow started in an environment. */
export function deploymentDaysText({ total, days }: FlowFrequency['environments'][number]): string {
  const period = count(days.length, 'day');
  return total === 0
    ? `No deployment in ${period}.`
    : `${count(total, 'deployment')} in ${period}. ${paceText(total, days.length, 'deployment')}`;
}
