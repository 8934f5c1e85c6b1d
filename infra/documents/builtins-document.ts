import type { BuiltinRow } from '#shared/rego/index.ts';

const HEAD = `# Built-in functions of policies

This page is generated from the engine's registry by \`npx node infra/write-builtins-document.ts\`. A test fails if the
page is out of date. A policy that calls any other function is refused when it is compiled, with file, line and column. All functions are
pure: none of them reads the network, files or the environment. \`time.now_ns\` returns the time for which the evaluation was
requested, also in a replay. Tokens and certificates are valid or not at that time. Operators have the names of their functions:
\`a + b\` is \`plus\`. Every function counts its work against the [limits](evaluations.md#limits) of an evaluation.
`;

const LANGUAGE_DIFFERENCES = `
### The language

| Here | OPA | Reason |
|---|---|---|
| data at the path of a rule is refused when the policy is compiled | loads both if they come separately; the data hides the rule | files and parameters of a policy come together, and a hidden rule is a mistake |
| a comparison or a reference that can never hold is refused only if the policy's text shows it; else it is undefined | refuses it if the types of rules and nested values show it | the compiler knows types of constants, variables and functions, not those of rules and elements |
| some expressions in templates (\`$"…"\`) that read variables of the body are accepted | refuses them, because it looks at the templates before it orders the body | the variables have values |
| a call of a rule, and a comprehension that reads a rule, are accepted in a template that is an argument of a rule | refuses both | as above |
| \`with count as rego.metadata.rule\` makes the expression undefined | calls the replacement | the two functions are replaced by their values when the policy is compiled |
| a number beyond 10 to the power of 1,000 is refused, also in \`units.parse\` | has larger limits | exact numbers must not exhaust memory |
`;

const REFUSED_HEAD = `
## Functions of OPA that are refused

The engine names the function and the reason when a policy that calls it is compiled. Functions whose names start with
\`internal.\` are no part of the language.

| Function | Reason |
|---|---|
`;

const DIFFERENCES = `
## Known differences from OPA

OPA is the reference of the language; \`shared/rego/README.md\` names its version. These answers differ from OPA's for a reason.

### Functions

| Function | Difference | Reason |
|---|---|---|
| \`graphql.*\` | Schemas and queries are checked by the rules of the GraphQL specification. OPA accepts some that break them: a directive that is repeated, two arguments with one name, an enum value named \`true\`, a union without types, an integer above 32 bits | the checks come from the library of the specification's authors |
| \`graphql.parse_schema\` | Comments are not part of the tree | as above |
| \`io.jwt.encode_sign\`, \`io.jwt.encode_sign_raw\` | \`ES*\` and \`PS*\` are refused | these signatures contain random numbers, so a replay would differ |
| \`io.jwt.encode_sign\`, \`io.jwt.encode_sign_raw\` | An asymmetric key cannot sign with \`HS*\` | its private number would serve as a password |
| \`json.match_schema\` | Errors of several members are in the order of the members' names | OPA's order is random |
| \`json.match_schema\`, \`json.verify_schema\` | A reference to another document makes the schema invalid | nothing is fetched |
| \`rego.metadata.chain\`, \`rego.metadata.rule\` | Values are read as YAML 1.2: \`0777\` is 777; \`0b1\`, \`1_000\` and dates are strings; the tags \`!!binary\` and \`!!set\` are refused. Addresses stay as they are written. Blocks of one module have at most 65,536 characters | the YAML library reads YAML 1.2 |
| RSA functions | Keys with more than 8192 bits are refused | one signature would take seconds |
| \`strings.render_template\` | \`define\`, \`template\`, \`block\`, \`call\`, \`js\` and characters in single quotes are refused; \`printf\` calls numbers of the variables strings in its messages | templates that call themselves need not end |
| \`yaml.marshal\` | Lists in objects are indented, as by OPA 1.22. The command-line client contains OPA 1.20, which does not indent them | one of the two had to be chosen |
| \`yaml.unmarshal\` | A block text at the end of a document without a last line end gets one | as in YAML 1.2 |
`;

/** Returns the text of `docs/builtins.md`: functions that policies may call, by theme, and functions that are refused. */
export function builtinsDocument(rows: readonly BuiltinRow[], refused: ReadonlyMap<string, string>): string {
  const sections = [...Map.groupBy(rows, ({ theme }) => theme)].map(([theme, functions]) =>
    [
      ...['', `## ${capital(theme)}`, '', '| Function | Arguments and result |', '|---|---|'],
      ...functions.map(({ name, signature }) => `| \`${name}\` | ${cellText(signature)} |`),
    ].join('\n'),
  );
  const reasons = [...refused].map(([name, reason]) => `| \`${name}\` | ${reason} |`);
  return `${HEAD}${sections.join('\n')}\n${REFUSED_HEAD}${reasons.join('\n')}\n${DIFFERENCES}${LANGUAGE_DIFFERENCES}`;
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Escapes `|`, which joins alternatives in a signature and would end a cell of the table. */
const cellText = (text: string) => text.replaceAll('|', '\\|');
