import { useAnswer } from '../client/live.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import type { ParamsOf } from '../routes/params.ts';
import styles from './evaluation.module.css';
import { explanationSentence, ruleName } from './model/explanation.ts';
import type { RuleExplained } from './operations.ts';
import { readExplanation } from './routes.ts';

type Params = ParamsOf<'evaluation'>;

/** Why the program came to its verdict. The explanation takes a second run, so it is made when a reader asks for it. */
export function Explanation({ params, isAsked, hasProof }: { params: Params; isAsked: boolean; hasProof: boolean }) {
  if (!hasProof) return null;
  return (
    <Panel title="Why" note="rules in the order in which they were tried" rows={4}>
      {isAsked ? (
        <Rules params={params} />
      ) : (
        <p className={styles['quiet']}>
          <PageLink page="evaluation" params={params} search={{ explain: 'true' }} keepPlace>
            Explain the verdict
          </PageLink>{' '}
          with a second run of the program on the same input.
        </p>
      )}
    </Panel>
  );
}

function Rules({ params }: { params: Params }) {
  const { explanation } = useAnswer(readExplanation(params));
  if (!explanation) return <Empty sentence="The program did not run to an end, or its texts were erased." />;
  return (
    <>
      <p className={styles['why']}>
        <Text>{explanationSentence(explanation)}</Text>
      </p>
      <Table
        caption="Rules"
        rows={explanation.rules}
        keyOf={({ file, line, rule }) => `${file} ${line} ${rule}`}
        columns={[
          {
            head: 'Rule',
            cell: (rule) => (
              <code>
                <Text>{ruleName(rule)}</Text>
              </code>
            ),
          },
          { head: 'Place', fit: true, cell: ({ file, line }) => <Text>{`${file}:${line}`}</Text> },
          {
            head: 'Value',
            cell: ({ value }) =>
              value === null ? (
                <span className={styles['quiet']}>none</span>
              ) : (
                <code>
                  <Text>{value}</Text>
                </code>
              ),
          },
          { head: 'Because', cell: (rule) => <Because rule={rule} /> },
        ]}
      />
    </>
  );
}

function Because({ rule: { stopped, values } }: { rule: RuleExplained }) {
  const shown = stopped?.values ?? values;
  return (
    <ul className={styles['because']}>
      {stopped && (
        <li>
          line {stopped.line} did not hold:{' '}
          <code>
            <Text>{stopped.source}</Text>
          </code>
        </li>
      )}
      {shown.map(({ term, value }) => (
        <li key={term}>
          <code>
            <Text>{`${term} = ${value ?? 'undefined'}`}</Text>
          </code>
        </li>
      ))}
    </ul>
  );
}
