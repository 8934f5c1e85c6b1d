import { useAnswer } from '../client/live.ts';
import { SentenceOf } from '../environment/sentence-of.tsx';
import { Writes } from '../parts/form/writes.tsx';
import { OutLink } from '../parts/link/link.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { controlWrites } from './forms.ts';
import { controlSentence, requirementsText } from './model/controls.ts';
import type { Control } from './operations.ts';
import { readControl, readCoverage } from './reads.ts';

interface Place {
  org: string;
  control: string;
}

const TABS = [
  ['control', 'Overview'],
  ['control-decisions', 'Decisions'],
  ['control-coverage', 'Coverage'],
  ['control-versions', 'Versions'],
] as const;

/** What stands above every page of a control: where it applies, and its views. */
export function ControlHead({ params, current }: { params: Place; current: (typeof TABS)[number][0] | 'gaps' }) {
  const control = useAnswer(readControl(params));
  const requirements = requirementsText(control);
  return (
    <>
      <VerdictLine
        kind={`Control ${control.identifier}`}
        subject={control.name}
        context={control.identifier}
        sentence={
          <SentenceOf otherwise="Where it applies is not known.">
            <Sentence params={params} control={control} />
          </SentenceOf>
        }
        description={control.description ?? ''}
        actions={<Writes org={params.org} writes={controlWrites(params.org, control)} />}
        facts={[
          <span key="version">
            version {control.version}, created <Time at={control.created_at} /> by <Text>{control.created_by}</Text>
          </span>,
          ...(requirements === undefined ? [] : [<Text key="requires">{requirements}</Text>]),
          ...Object.entries(control.tags).map(([key, value]) => <Text key={key}>{`${key}: ${value}`}</Text>),
          ...Object.entries(control.links).map(([label, href]) => (
            <OutLink key={label} href={href}>
              {label}
            </OutLink>
          )),
        ]}
      />
      <Tabs
        label="Views of the control"
        tabs={[
          ...TABS.map(([page, label]) => ({ label, page, params, isCurrent: page === current })),
          { label: 'Gaps', page: 'control', params, search: { tab: 'gaps' }, isCurrent: current === 'gaps' },
        ]}
      />
    </>
  );
}

const Sentence = ({ params, control }: { params: Place; control: Control }) => (
  <Text>{controlSentence(control, useAnswer(readCoverage(params)))}</Text>
);
