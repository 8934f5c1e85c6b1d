// The five minutes of the README, with the generated client. Prints what the service says, a line for each step.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"strings"
	"time"

	"five-minutes/evidence"
)

const (
	org   = "demo"
	trail = "release-1"
)

var ctx = context.Background()

func main() {
	name := os.Getenv("NAME")
	flow, environment, policy := "web-"+name, "prod-"+name, "strict-"+name
	digest := sha256.Sum256([]byte(name))
	fingerprint := hex.EncodeToString(digest[:])
	client, err := evidence.NewClientWithResponses(os.Getenv("API"), evidence.WithRequestEditorFn(withKey))
	check(err)

	template := files{"template_file": os.Getenv("TEMPLATE")}
	kind, body := form("data_json", evidence.FlowForm{Name: flow, Description: some("The web shop")}, template)
	made, err := client.PutFlowWithTemplateWithBodyWithResponse(ctx, org, nil, kind, body)
	check(err)
	fmt.Println("flow", text(made.Body))

	kind, body = form("data_json", evidence.TrailReport{Name: trail}, nil)
	begun, err := client.BeginTrailWithBodyWithResponse(ctx, org, flow, nil, kind, body)
	check(err)
	reported, err := client.ReportArtifactWithResponse(ctx, org, flow, nil, evidence.ArtifactReport{
		TrailName:             some(trail),
		TemplateReferenceName: some("app"),
		Filename:              "app.tar",
		Fingerprint:           fingerprint,
		GitCommit:             some("0f2ea3f6c0b8e1f6d8f0a2c4e6a8c0e2f4a6b8d0"),
		BuildUrl:              "https://ci.example.com/1",
		CommitUrl:             "https://git.example.com/c/0f2ea3f",
	})
	check(err)
	tests := evidence.GenericAttestation{
		AttestationName:     "unit-tests",
		ArtifactFingerprint: &fingerprint,
		IsCompliant:         some(true),
	}
	kind, body = form("data_json", tests, files{"attachment_file": "passed"})
	tested, err := client.AttestGenericWithBodyWithResponse(ctx, org, flow, trail, nil, kind, body)
	check(err)
	fmt.Println("evidence", text(begun.Body), text(reported.Body), text(tested.Body))

	state := func() string {
		found, err := client.GetTrailWithResponse(ctx, org, flow, trail, nil)
		check(err)
		return string(known(found.JSON200, found.Body).ComplianceState)
	}
	asserted, err := client.AssertArtifactWithResponse(ctx, org, fingerprint, &evidence.AssertArtifactParams{FlowName: &flow})
	check(err)
	fmt.Println("trail", state(), "released", known(asserted.JSON200, asserted.Body).Compliant)

	kind, body = form("payload", evidence.PolicyReport{Name: policy}, files{"policy_file": os.Getenv("POLICY")})
	saved, err := client.PutPolicyWithBodyWithResponse(ctx, org, nil, kind, body)
	check(err)
	created, err := client.PutEnvironmentWithResponse(ctx, org, nil, evidence.CreateEnvironmentPutInput{
		Name:     environment,
		Type:     evidence.CreateEnvironmentPutInputTypeDocker,
		Policies: &[]string{policy},
	})
	check(err)
	report := func() string {
		var running evidence.ReportOfContainers
		check(json.Unmarshal([]byte(`{"artifacts":[{"digests":{"app":"`+fingerprint+`"},"creationTimestamp":1795000000}]}`), &running))
		answer, err := client.ReportDockerWithResponse(ctx, org, environment, nil, running)
		check(err)
		return text(answer.Body)
	}
	fmt.Println("environment", text(saved.Body), text(created.Body), report())
	first, err := client.GetSnapshotWithResponse(ctx, org, environment, "-1", nil)
	check(err)
	snapshot := known(first.JSON200, first.Body)
	fmt.Println("snapshot", snapshot.Index, snapshot.Compliant)

	review := evidence.GenericAttestation{AttestationName: "review", IsCompliant: some(true)}
	_, err = client.AttestGenericWithResponse(ctx, org, flow, trail, nil, review)
	check(err)
	fmt.Println("trail", state())
	for {
		found, err := client.GetEnvironmentWithResponse(ctx, org, environment, nil)
		check(err)
		if now := known(found.JSON200, found.Body).State; now != nil && *now {
			break
		}
		report()
		time.Sleep(time.Second)
	}
	list, err := client.ListSnapshotsWithResponse(ctx, org, environment, nil)
	check(err)
	snapshots := []string{}
	for _, one := range *known(list.JSON200, list.Body) {
		snapshots = append(snapshots, fmt.Sprint(one.Index, " ", one.Compliant))
	}
	fmt.Println("snapshots", strings.Join(snapshots, " "))

	var request evidence.EvaluationRequest
	check(json.Unmarshal([]byte(`{"context":{"trails":[{"flow":"`+flow+`","trail":"`+trail+`"}]},"policy":{"files":{}}}`), &request))
	request.Policy.Files["policy.rego"] = os.Getenv("PROGRAM")
	requested, err := client.RequestEvaluationWithResponse(ctx, org, nil, request)
	check(err)
	id := known(requested.JSON201, requested.Body).Id
	var evaluated *evidence.ExplainedEvaluation
	for evaluated == nil || evaluated.Status == "pending" {
		time.Sleep(time.Second)
		found, err := client.GetEvaluationWithResponse(ctx, org, id, nil)
		check(err)
		evaluated = known(found.JSON200, found.Body)
	}
	replay, err := client.ReplayEvaluationWithResponse(ctx, org, id, nil)
	check(err)
	identical := known(replay.JSON200, replay.Body).Identical
	fmt.Println("evaluation", evaluated.Status, evaluated.Result.Allow, "identical", identical)

	page, err := client.ListTrailMomentsWithResponse(ctx, org, flow, trail, nil)
	check(err)
	numbers := []string{}
	for _, moment := range known(page.JSON200, page.Body).Moments {
		numbers = append(numbers, fmt.Sprint(moment.MomentNumber))
	}
	fmt.Println("moments", strings.Join(numbers, " "))

	var wanted evidence.StartPackageJSONRequestBody
	check(wanted.FromPackageOfTrail(evidence.PackageOfTrail{Type: "trail", Flow: flow, Trail: trail}))
	started, err := client.StartPackageWithResponse(ctx, org, nil, wanted)
	check(err)
	state202 := known(started.JSON202, started.Body)
	progress := string(state202.State)
	for progress == "running" {
		time.Sleep(time.Second)
		found, err := client.GetPackageWithResponse(ctx, org, state202.Id)
		check(err)
		progress = string(known(found.JSON200, found.Body).State)
	}
	fmt.Println("package", progress)

	refused, err := client.GetFlowWithResponse(ctx, org, "none")
	check(err)
	fmt.Println("refused", known(refused.JSON404, refused.Body).Message)
}

func withKey(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
	return nil
}

func some[T any](value T) *T { return &value }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// known returns the answer of a step that must not be refused.
func known[T any](answer *T, body []byte) *T {
	if answer == nil {
		check(fmt.Errorf("the service refused: %s", body))
	}
	return answer
}

// text returns an answer that is a JSON text.
func text(body []byte) string {
	var said string
	if err := json.Unmarshal(body, &said); err != nil {
		check(fmt.Errorf("the service refused: %s", body))
	}
	return said
}

// files has texts by the names of their parts.
type files map[string]string

// form returns a multipart body with a document and files, and its content type.
func form(part string, document any, more files) (string, *bytes.Buffer) {
	var body bytes.Buffer
	writer := multipart.NewWriter(&body)
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", `form-data; name="`+part+`"`)
	header.Set("Content-Type", "application/json")
	field, err := writer.CreatePart(header)
	check(err)
	check(json.NewEncoder(field).Encode(document))
	for name, content := range more {
		file, err := writer.CreateFormFile(name, name+".txt")
		check(err)
		_, err = file.Write([]byte(content))
		check(err)
	}
	check(writer.Close())
	return writer.FormDataContentType(), &body
}
