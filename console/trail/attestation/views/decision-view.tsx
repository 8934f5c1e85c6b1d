import { CatchBoundary } from '@tanstack/react-router';
import { ApiProblem } from '../../../client/api-problem.ts';
import { useAnswer } from '../../../client/live.ts';
import { read } from '../../../client/query-client.ts';
import { evaluation as evaluationOperation } from '../../../evaluation/operations.ts';
import { PageLink } from '../../../parts/link/link.tsx';
import { ErrorPanel } from '../../../parts/page/error-panel.tsx';
import { KeyValues } from '../../../parts/page/key-values.tsx';
import { Text } from '../../../parts/text/text.tsx';
import type { ParamsOf } from '../../../routes/params.ts';
import type { Attestation } from '../../operations.ts';
import { type Decision, decisionRows, decisionSentence, isRecordedBy, verdictSentence } from '../model/decision.ts';
import { View } from './view.tsx';

interface DecisionProps {
  decision: Decision;
  attestation: Attestation;
  params: ParamsOf<'trail'>;
}

/**
 * What decided: the control, and the evaluation with the rule that decided. An evaluation that the organization does not have is
 * left out. The details wait for the evaluation, so that nothing moves when it comes.
 */
export function DecisionView({ decision: { control, evaluation }, attestation, params: { org } }: DecisionProps) {
  const version = attestation['control_version'];
  return (
    <View title="Decision" sentence={verdictSentence(control, attestation)}>
      {evaluation !== null && (
        <CatchBoundary getResetKey={() => evaluation} errorComponent={Unread}>
          <ByEvaluation org={org} id={evaluation} attestation={attestation} />
        </CatchBoundary>
      )}
      <KeyValues
        rows={[
          [
            'Control',
            <span key="control">
              <PageLink page="control" params={{ org, control }}>
                <Text>{control}</Text>
              </PageLink>
              {typeof version === 'number' && ` version ${version}`}
            </span>,
          ],
          ...decisionRows(attestation).map(([label, text]) => [label, <Text key={label}>{text}</Text>] as const),
        ]}
      />
    </View>
  );
}

/** Why a program denied something is asked for with the evaluation. It takes a second run of the program. */
function ByEvaluation({ org, id, attestation }: { org: string; id: string; attestation: Attestation }) {
  const asked = attestation.is_compliant ? {} : { explain: true as const };
  const evaluation = useAnswer({
    ...read(evaluationOperation, { org, evaluation_id: id }, asked),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isRecordedBy(evaluation, attestation)) return null;
  return (
    <p>
      <Text lines>{decisionSentence(evaluation)}</Text>{' '}
      <PageLink
        page="evaluation"
        params={{ org, evaluation: id }}
        search={attestation.is_compliant ? {} : { explain: 'true' }}
      >
        Evaluation <code>{id.slice(0, 13)}</code>
      </PageLink>
    </p>
  );
}

/** A reporter can name any evaluation, also where the organization has none. Other failures are shown. */
const Unread = ({ error }: { error: unknown }) =>
  error instanceof ApiProblem && [403, 404].includes(error.status) ? null : <ErrorPanel error={error} />;
