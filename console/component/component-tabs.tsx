import { addressOf } from '../client/operations.ts';
import { Tabs } from '../parts/page/tabs.tsx';
import { time } from '../routes/search-params.ts';

/** A question about one package, as the address has it. */
interface Question {
  purl: string;
  versions: string | undefined;
  at: string | undefined;
}

export interface QuestionProps {
  org: string;
  question: Question;
}

/** The two answers to a question. */
export const ComponentTabs = ({ org, question, isBuilds = false }: QuestionProps & { isBuilds?: boolean }) => {
  const to = { page: 'components', params: { org } } as const;
  return (
    <Tabs
      label="Answers"
      tabs={[
        { label: 'Where it runs', ...to, search: { ...question }, isCurrent: !isBuilds },
        { label: 'Builds', ...to, search: { ...question, tab: 'builds' }, isCurrent: isBuilds },
      ]}
    />
  );
};

/** The path of the call behind an answer, for the curl command. */
export const rawPath = (path: string, { at, ...question }: Question): string =>
  addressOf(path, {}, { ...question, at: at === undefined ? undefined : time(at) }).replace('/api/v2', '');
