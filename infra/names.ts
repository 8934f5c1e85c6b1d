/**
 * Names of resources that something outside of their stack uses: the watch stack, the policies of keys, operators. All other
 * resources get their names from CloudFormation. A test checks that the names of two stages never meet, and that they are
 * short enough.
 */

/** The stacks of a stage, in the order of their deployment. */
type StackPart = 'stateful' | 'service' | 'watch';

const named = (stage: string, name: string): string => `delivery-evidence-${stage}-${name}`;

/** Returns the name of a stack. */
export const stackName = (stage: string, part: StackPart): string => named(stage, part);

/** Returns the name of a function in the account. @param name folder below `functions/` */
export const functionName = (stage: string, name: string): string => named(stage, name);

/** Returns the name of the role of a function, if the role has a name of its own. */
export const roleName = (stage: string, name: string): string => named(stage, name);

/** Returns the name of a function's log. */
export const logName = (stage: string, name: string): string => `/delivery-evidence/${stage}/${name}`;

/** Returns the name of a schedule. */
export const ruleName = (stage: string, rule: RuleName): string => named(stage, rule);

/** The schedules. None of their names ends with another one: the rule of a stage `eu-x` could have the same name. */
export const RULE_NAMES = ['sweep-events', 'sweep-due', 'sweep-logs', 'refresh-root'] as const;

export type RuleName = (typeof RULE_NAMES)[number];

/** Returns the name of the rule that notices changes of keys. It is no schedule, and no schedule's name ends with it. */
export const keyRuleName = (stage: string): string => named(stage, 'keys-changed');

/** Returns the name of the rule that counts refused requests by organization. */
export const limitedRuleName = (stage: string): string => named(stage, 'limited-organizations');

/** Returns the name of the trail that records writes to table and bucket. */
export const trailName = (stage: string): string => named(stage, 'data-events');

/** Returns the name of the parameter with the id of the API. The gateway chooses the id, so the watch stack cannot know it. */
export const apiIdParameter = (stage: string): string => `/delivery-evidence/${stage}/api-id`;

/** Returns the name of the dashboard. */
export const dashboardName = (stage: string): string => `delivery-evidence-${stage}`;

/** Returns the namespace of the metrics that are made from lines of logs. */
export const metricNamespace = (stage: string): string => `DeliveryEvidence/${stage}`;
