/** Reads the rights of functions from a synthesized template. */

/** A statement as it stands in a template. Resources can be functions of CloudFormation. */
export interface TemplateStatement {
  Effect: 'Allow' | 'Deny';
  Action: string | string[];
  Resource: unknown;
  Principal?: unknown;
  Condition?: Record<string, Record<string, string | string[]>>;
}

/** The part of a template that tells rights. */
export interface TemplateJson {
  Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: string } }>;
}

export const resourcesOfType = ({ Resources }: TemplateJson, type: string) =>
  Object.entries(Resources).filter(([, resource]) => resource.Type === type);

/**
 * Returns the statements of each function's role by the name of the function. The description of a role names its function
 * (`constructs/service-function.ts`), and the role itself has its rights (`constructs/function-role.ts`).
 *
 * @throws Error if a role has rights that are not in the role itself
 */
export function statementsByFunction(service: TemplateJson): Map<string, TemplateStatement[]> {
  const elsewhere = ['AWS::IAM::Policy', 'AWS::IAM::RolePolicy', 'AWS::IAM::ManagedPolicy'];
  const hidden = elsewhere.flatMap((type) => resourcesOfType(service, type).map(([id]) => id));
  if (hidden.length > 0) throw new Error(`${hidden.join(', ')} gives rights to roles, which nothing reads`);
  return new Map(
    resourcesOfType(service, 'AWS::IAM::Role').map(([role, { Properties }]) => {
      const hidden = ['ManagedPolicyArns', 'PermissionsBoundary'].filter((name) => name in Properties);
      if (hidden.length > 0) throw new Error(`The role ${role} has ${hidden.join(', ')}, which nothing reads`);
      const name = String(Properties['Description']).replace(/^What the function (.+) may do$/, '$1');
      return [name, statementsOfRole(Properties)];
    }),
  );
}

/** Returns the statements of a role. @param properties of an `AWS::IAM::Role` */
export function statementsOfRole(properties: Record<string, unknown>): TemplateStatement[] {
  // CloudFormation says which properties a role has.
  const { Policies = [] } = properties as { Policies?: { PolicyDocument: { Statement: TemplateStatement[] } }[] };
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}
