/** Policies as their authors write them, over the input of the generated programs. */
export const POLICIES: Readonly<Record<string, string>> = {
  'tokens, certificates, schemas and other formats': `package policy

token := "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJoYXJib3VyIiwiZXhwIjo0MDAwMDAwMDAwfQ.fhoAGRnRgSff2ls4izyvB9bCay2PQMw2FaB-f0V2ggJA59KW0MVj2EEd2wT6Pfuck4fzywNh2ubI8yV43SJQjg"

key := {"kty":"EC","x":"MiyU6CBpNpUkTfbrfzHmeJG7sGPDFRSxfm1ZaYO7kIU","y":"74PFyApe5NpNZSpFejPyI3pi3lUeTI9HoqTY-FXRsII","crv":"P-256"}

chain := \`-----BEGIN CERTIFICATE-----
MIIBXjCCAQSgAwIBAgIUW2KAhu+xPvqSP5SJTLQPny4CRBgwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBUjAgFw0yNjExMjIxNjMzMzNaGA8yMDUxMDcxNDE2MzMzM1ow
DDEKMAgGA1UEAwwBUjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJlVH/xQwfhW
V/rU9aKvd8pTmsY7m5bbt5e1p3o3kePr8lh653kqUeyWEY1QVnwcQ0c0ysO6O5ev
kb+lWPyhxO6jQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0G
A1UdDgQWBBS1Tzs2xWeUq5WYoZuKosUYe1/ulzAKBggqhkjOPQQDAgNIADBFAiEA
2n45WUYEZy7qWrgZhXS9gRGrmyrC8LsUOkP2jWFcSScCICK+JIxLLmh8mu2nDeQB
hSgPfAB0aDB8PMcBXKcgHnDL
-----END CERTIFICATE-----
-----BEGIN CERTIFICATE-----
MIIBYTCCAQagAwIBAgICSeswCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBUjAgFw0y
NjExMjIxNjMzMzNaGA8yMDUxMDcxNDE2MzMzM1owDDEKMAgGA1UEAwwBSTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABMuuDb7bXrlr4gnu8lgRl7/7gkXmAZKBoUSf
sr5JDL8PMRGT2BZFaJgyX2qB1AW1Kl8QH2yEQvTF3r3H0YPWNMGjVjBUMBIGA1Ud
EwEB/wQIMAYBAf8CAQAwHQYDVR0OBBYEFNp8IC3WW5E8U/Idz5Ji22OWKA1fMB8G
A1UdIwQYMBaAFLVPOzbFZ5SrlZihm4qixRh7X+6XMAoGCCqGSM49BAMCA0kAMEYC
IQD9gtf3XOF29kSPElgClMLaMcXwty5lLrMHoWqvkim8qgIhAJxisWEXeZPIndHk
DDwS/lYg/zL36L54MCJJxLhz6Vto
-----END CERTIFICATE-----
-----BEGIN CERTIFICATE-----
MIIBbzCCARSgAwIBAgICCKUwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBSTAgFw0y
NjExMjIxNjMzMzRaGA8yMDUxMDcxNDE2MzMzNFowDTELMAkGA1UEAwwCTDEwWTAT
BgcqhkjOPQIBBggqhkjOPQMBBwNCAATJeiVqh6HnRi5zoxlpAQh4rDZOO51kph5e
qGIezsUl5+VBDFWTGDF144+Pt+7bTbAHr/aLIizMvecC0NxMjGzPo2MwYTAfBgNV
HREEGDAWghRsZWFmLmhhcmJvdXIuZXhhbXBsZTAdBgNVHQ4EFgQUURBudrJYwENR
EHfhZIF3rRjguB4wHwYDVR0jBBgwFoAU2nwgLdZbkTxT8h3PkmLbY5YoDV8wCgYI
KoZIzj0EAwIDSQAwRgIhAPcYulIlhXq+Yy7Q2VLTYhfytnFeDaDOeeCHdxukjOA2
AiEAvfA+9jS/cWQYPbVd1LL5g8tBOpzO/aPfNnDMSTVKqi4=
-----END CERTIFICATE-----\`

template := \`{{range .l}}<{{.}}>{{end}}\`

default allow := false

violations contains json.marshal(io.jwt.decode(token))

violations contains json.marshal(io.jwt.decode_verify(token, {"cert": json.marshal(key), "iss": "harbour"}))

violations contains io.jwt.encode_sign({"alg": "HS256"}, {"a": 1}, {"kty": "oct", "k": "dGlkZQ"})

violations contains json.marshal([c | some c in crypto.x509.parse_certificates(chain)])

violations contains json.marshal(v[0]) if {
	v := crypto.x509.parse_and_verify_certificates_with_options(chain, {"CurrentTime": 1800000000000000000})
}

violations contains json.marshal(json.match_schema({"a": 1}, {"required": ["b"], "properties": {"a": {"type": "string"}}}))

violations contains json.marshal(graphql.parse("{ a(b: 1) }", "type Query { a(b: Int): Int }"))

violations contains yaml.marshal({"a": {"b": "x: y"}, "c": yaml.unmarshal("d: 010")})

violations contains strings.render_template(template, {"l": ["x", "y"]})

violations contains json.marshal(net.cidr_merge(["10.0.0.0/25", "10.0.0.128/25"]))

violations contains json.marshal([regex.globs_match("a.*", ".*b"), regex.globs_match("a", "b")])

violations contains json.marshal_with_options({"a": [1]}, {"indent": " "})

violations contains providers.aws.sign_req(
	{"method": "GET", "url": "https://harbour.example"},
	{"aws_access_key": "a", "aws_secret_access_key": "b", "aws_service": "s3", "aws_region": "r"},
	1700000000000000000,
).headers.Authorization
`,
  'a policy without violations': 'package policy\n\nallow := true',
  'checks of trails with helpers and defaults': `package policy
import rego.v1

default allow := false

allow if {
	every trail in input.trails {
		is_compliant(trail)
	}
}

is_compliant(trail) if {
	trail.status == "COMPLIANT"
	not has_failed_check(trail)
}

has_failed_check(trail) if {
	some check in trail.checks
	not check.ok
}

violations contains sprintf("trail %s has failed checks %v", [trail.name, failed]) if {
	some trail in input.trails
	failed := [check.id | some check in trail.checks; not check.ok]
	count(failed) > 0
}

violations contains sprintf("trail %q is %s", [trail.name, status]) if {
	some trail in input.trails
	status := object.get(trail, "status", "unknown")
	status != "COMPLIANT"
}`,
  'parameters, sets and a partial object': `package policy
import rego.v1

default allow := false
allow if count(violations) == 0

levels := {level | some level in data.params.levels}

by_name[trail.name] := count(trail.checks) if some trail in input.trails

violations contains concat(": ", [name, format_int(by_name[name], 10)]) if {
	some name, _ in by_name
	by_name[name] < data.params.limit
}

violations contains "levels" if levels == {"high", "low"}
violations contains sprintf("%v", [by_name])`,
  'else, with and functions put in place of others': `package policy
import rego.v1

default allow := false

grade := "high" if {
	count(input.list) > 10
} else := "middle" if {
	count(input.list) > 5
} else := "low"

double(x) := 2 * x
triple(x) := 3 * x

violations contains sprintf("grade %s", [grade])
violations contains sprintf("other grade %s", [g]) if {
	g := grade with input.list as numbers.range(1, 20)
}
violations contains sprintf("doubled %v, tripled %v", [a, b]) if {
	a := double(7)
	b := double(7) with data.policy.double as triple
}
violations contains sprintf("counted %v", [n]) if n := count([1, 2]) with count as 40`,
  'negation of calls whose operands are undefined': `package policy
import rego.v1

default allow := false

f(x) if x == 5
g(x) := 2 if x == 1

violations contains "comparison" if not input.missing == 1
violations contains "greater" if not input.missing > 1
violations contains "call" if not f(input.missing)
violations contains "nested call" if not f(g(7))
violations contains "inner call" if not input.list[g(7)]
violations contains "comprehension" if not count([x | x := input.missing]) == 3
violations contains "failing built-in" if not to_number("abc")`,
  'unification in both directions': `package policy
import rego.v1

default allow := false

violations contains sprintf("swapped %v", [[x, y]]) if [x, y] = [y, 1]
violations contains sprintf("index %v", [i]) if input.words[i] == "x y"
violations contains sprintf("pair %v", [[i, j]]) if { input.list[i] == 3; input.list[j] == input.list[i]; i < j }
violations contains sprintf("deep %v", [z]) if { {"x": {"y": [_, z]}, "flag": true, "list": _} = input.deep }
violations contains sprintf("walked %v", [path]) if { walk(input.deep, [path, false]) }`,
  'packages read through each other': `package policy
import rego.v1
import data.policy.parts as parts
import input.deep.x as inner

default allow := false

parts.total := count(inner.y)
parts.named[name] := length if { some name in input.words; length := count(name) }

violations contains sprintf("%v", [parts])
violations contains sprintf("%s=%v", [key, value]) if value := parts.named[key]
violations contains sprintf("rule %s", [key]) if some key, _ in data.policy.parts`,
};

/** Policies that both engines refuse. */
export const BAD_POLICIES: Readonly<Record<string, string>> = {
  'a body without if': 'package policy\nallow { true }',
  'an unsafe variable': 'package policy\nimport rego.v1\nallow if x > 1',
  'a variable that is assigned twice': 'package policy\nimport rego.v1\nallow if { x := 1; x := 2 }',
  'a variable that is used before it is declared':
    'package policy\nimport rego.v1\nallow if { y == x; x := 1; y := 1 }',
  'an unknown function': 'package policy\nallow := nope(1)',
  'a wrong number of arguments': 'package policy\nallow := count(1, 2, 3)',
  'rules that need each other': 'package policy\nallow := b\nb := c\nc := allow',
  'a rule with two values':
    'package policy\nallow := input.flag\nallow := false if input.words\nallow := true if input.words',
  'a function with two results': 'package policy\nf(x) := x\nf(x) := [x]\nallow := f(1) == 1',
  'rules of two kinds': 'package policy\np contains 1\np := 2\nallow := true',
  'a rule below a value': 'package policy\np := 1\np.q := 2\nallow := true',
  'a negated variable that nothing binds': 'package policy\nimport rego.v1\nallow if not input.words[i]',
  'a default with a reference': 'package policy\ndefault allow := input.flag',
  'a rule named input': 'package policy\ninput := 1\nallow := true',
  'an argument declared again': 'package policy\nimport rego.v1\nf(x) := x if x := 1\nallow := true',
  'an import twice': 'package policy\nimport data.a.x\nimport data.b.x\nallow := true',
  'a string without end': 'package policy\nallow := "abc',
  'allow that is no boolean': 'package policy\nallow := "yes"',
  'a comparison of a number with a string': 'package policy\nimport rego.v1\nallow if { x := 1; x == "1" }',
  'a negated comparison of types': 'package policy\nimport rego.v1\nallow if not count(input.list) == "1"',
  'an operand of another type': 'package policy\nallow := startswith(input.words[0], 1)',
  'a format without a list': 'package policy\nallow := sprintf("%d", 1) == "1"',
  'elements of a string': 'package policy\nimport rego.v1\nallow if some x in "abc"',
  'no allow': 'package policy\nother := true',
};
