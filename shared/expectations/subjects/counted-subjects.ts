import { countStates } from '../judge-subjects.ts';
import type { JudgedSubject, SubjectPage, SubjectsFound } from './subject.ts';

/** A judged subject, with the text by which subjects are sorted. */
export type PlacedSubject = JudgedSubject & { place: string };

/** Returns a page of subjects of which all are judged. @param all sorted by their places */
export function pageOf(all: readonly PlacedSubject[], { after, limit, state }: SubjectPage): SubjectsFound {
  const wanted = all
    .filter((one) => state === undefined || one.state === state)
    .filter(({ place }) => after === undefined || place > after);
  const page = wanted.slice(0, limit);
  const last = wanted.length > limit ? page.at(-1)?.place : undefined;
  return { subjects: page, counts: countStates(all), last: last ?? null };
}
