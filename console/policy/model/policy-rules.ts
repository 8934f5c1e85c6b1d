import type { Snapshot } from '../../environment/operations.ts';

type Applied = Snapshot['applied_policies'][number];
type Decision = Snapshot['artifacts'][number]['policy_decisions'][number];
type Evaluation = Decision['rule_evaluations'][number] & { isAllowed: boolean };

export interface RuleLine {
  /** What the rule asks for. */
  text: string;
  /** Exceptions or the condition of the rule, as the policy writes them. */
  conditions: string[];
  satisfied: number;
  failing: number;
  /** Artifacts that do not satisfy the rule and are on the allow-list. */
  allowed: number;
  /** Artifacts to which the rule does not apply, because of an exception or its condition. */
  notApplied: number;
}

/** An applied policy with each of its rules, and how the running artifacts stand to it. */
export interface PolicyLines {
  name: string;
  version: number;
  rules: RuleLine[];
  failing: Applied['failing_artifacts'];
}

/** The rules of the applied policies, each with the number of running artifacts that satisfy it. */
export function policyLines({ applied_policies: policies, artifacts }: Snapshot): PolicyLines[] {
  const running = artifacts.filter(({ annotation }) => annotation.now > 0);
  return policies.map(({ name, version, policy_dump: dump, failing_artifacts: failing }) => {
    const evaluations = running.flatMap(({ policy_decisions: decisions, compliant }) =>
      decisions
        .filter((decision) => decision.policy_name === name && decision.policy_version === version)
        .flatMap(({ rule_evaluations: rules }) => rules.map((rule) => ({ ...rule, isAllowed: compliant === true }))),
    );
    const { provenance, trail_compliance: trail, attestations, sbom, components } = dump.artifacts;
    const line = (text: string, conditions: string[], isOf: (one: Evaluation) => boolean): RuleLine => ({
      text,
      conditions,
      ...tally(evaluations.filter(isOf)),
    });
    const exceptions = (rule: Pick<typeof provenance, 'exceptions'>) =>
      rule.exceptions.flatMap(({ if_condition: given }) => (given === null ? [] : [`except if ${given.text}`]));
    return {
      name,
      version,
      failing,
      rules: [
        ...(provenance.required
          ? [line('Somebody reported the build', exceptions(provenance), ({ rule }) => rule.type === 'provenance')]
          : []),
        ...(trail.required
          ? [line('Compliant in its trail', exceptions(trail), ({ rule }) => rule.type === 'trail-compliance')]
          : []),
        ...attestations.map((asked) =>
          line(
            attestationText(asked),
            asked.if_condition === null ? [] : [`only if ${asked.if_condition.text}`],
            ({ rule }) =>
              rule.type === 'attestation' &&
              rule.definition.name === asked.name &&
              rule.definition.type === asked.type &&
              rule.definition.for_control === asked.for_control,
          ),
        ),
        ...(sbom?.required ? [line(sbomText(sbom), exceptions(sbom), ({ rule }) => rule.type === 'sbom')] : []),
        ...(components?.deny ?? []).map((denied) =>
          line(
            `No SBOM lists ${denied.purl}${denied.versions === null ? '' : ` in ${denied.versions}`}`,
            denied.if_condition === null ? [] : [`only if ${denied.if_condition.text}`],
            ({ rule }) =>
              rule.type === 'denied-component' &&
              rule.definition.purl === denied.purl &&
              rule.definition.versions === denied.versions &&
              rule.definition.if?.text === denied.if_condition?.text,
          ),
        ),
      ],
    };
  });
}

function sbomText({ signed_by: signers, grade }: NonNullable<Applied['policy_dump']['artifacts']['sbom']>): string {
  const signed = signers ? `, signed by ${signers.join(' or ')}` : '';
  return `An SBOM that can be read${signed}${grade === undefined ? '' : `, of grade ${grade} or higher`}`;
}

type Asked = Applied['policy_dump']['artifacts']['attestations'][number];

function attestationText({ name, type, must_be_compliant: compliant, for_control: control }: Asked): string {
  const what = name === '*' ? 'An attestation' : `Attestation ${name}`;
  const kind = type === '*' ? '' : ` of type ${type}`;
  const why = control === null ? '' : ` for control ${control}`;
  return `${what}${kind}${why}${compliant ? '' : ', compliant or not'}`;
}

function tally(evaluations: readonly Evaluation[]): Pick<RuleLine, 'satisfied' | 'failing' | 'allowed' | 'notApplied'> {
  const isOut = ({ ignored, satisfied }: Evaluation) => ignored || satisfied === null;
  return {
    notApplied: evaluations.filter(isOut).length,
    satisfied: evaluations.filter((one) => !isOut(one) && one.satisfied).length,
    allowed: evaluations.filter((one) => !isOut(one) && !one.satisfied && one.isAllowed).length,
    failing: evaluations.filter((one) => !isOut(one) && !one.satisfied && !one.isAllowed).length,
  };
}
