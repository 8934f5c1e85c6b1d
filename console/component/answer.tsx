import { ApiProblem } from '../client/api-problem.ts';
import { problemsByField } from '../model/component-question.ts';
import { count } from '../model/words.ts';
import { Button } from '../parts/control/button.tsx';
import { ErrorPanel } from '../parts/page/error-panel.tsx';
import { PageSkeleton } from '../parts/page/skeleton.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import type { PageProps } from '../routes/route.ts';
import { AskForm } from './ask-form.tsx';
import type { componentsRoute } from './routes.ts';
import type { Pages } from './use-pages.ts';

interface AnswerProps<O> {
  org: string;
  search: PageProps<typeof componentsRoute>['search'];
  /** What is asked about, as the heading. */
  subject: string;
  answer: Pages<O>;
  /** Draws what was read. */
  children: (pages: readonly O[]) => React.ReactNode;
}

/** The way of an answer: reading, refused at the fields, failed, or there. */
export function Answer<O>({ org, search, subject, answer, children }: AnswerProps<O>) {
  const { pages, isReady, problem } = answer;
  if (pages.length > 0) return isReady ? children(pages) : <PageSkeleton />;
  if (problem === null) return <PageSkeleton />;
  const problems = problem instanceof ApiProblem && problem.status === 400 ? problemsByField(problem.fields) : null;
  // The page failed as a whole, as others do that cannot be read.
  if (problems === null) throw problem;
  return (
    <>
      <VerdictLine
        kind="Component"
        subject={subject}
        context={org}
        sentence="The question cannot be answered as it stands. What is wrong is said at its fields."
      />
      <AskForm org={org} search={search} problems={problems} />
    </>
  );
}

interface ProgressProps {
  answer: Pages<unknown>;
  /** What is read, in several: `builds`. */
  what: string;
}

/** Says that an answer is not complete, and reads on. Nothing is said of one that is. */
export function Progress({ answer: { pages, isReading, isComplete, problem, readOn, stop }, what }: ProgressProps) {
  if (isComplete) return null;
  if (problem !== null) return <ErrorPanel error={problem} retry={readOn} />;
  return (
    <p role="status" aria-busy={isReading}>
      <strong>Not complete yet.</strong> {count(pages.length, 'page')} of {what} {pages.length === 1 ? 'was' : 'were'}{' '}
      read
      {isReading ? ', and more are coming.' : '.'}{' '}
      {isReading ? <Button onClick={stop}>Stop</Button> : <Button onClick={readOn}>Read the rest</Button>}
    </p>
  );
}
