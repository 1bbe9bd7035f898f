package model

import (
	"strings"
	"testing"
)

// Errors are classified by the server's text and status.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   Class
	}{
		// These are many servers' errors for a too long conversation.
		{400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.","code":"context_length_exceeded"}}`, ClassOverflow},
		{400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again."}}`, ClassOverflow},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`, ClassOverflow},
		{400, `{"message":"Input is too long for requested model."}`, ClassOverflow},
		{400, `[{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, ClassOverflow},
		{400, `{"error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, ClassOverflow},
		{400, `{"error":{"message":"Please reduce the length of the messages or completion."}}`, ClassOverflow},
		{413, `{"error":{"message":"Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000","code":"rate_limit_exceeded"}}`, ClassOverflow},
		{400, `{"error":{"message":"prompt token count of 140000 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`, ClassOverflow},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_ctx":4096}}`, ClassOverflow},
		{400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}`, ClassOverflow},
		{400, `{"error":{"message":"invalid params, context window exceeds limit"}}`, ClassOverflow},
		{400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144"}}`, ClassOverflow},
		{422, `{"error":"Input validation error: ` + "`inputs` tokens + `max_new_tokens`" + ` must be <= 4096. Given: 5000"}`, ClassOverflow},
		{400, `{"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}`, ClassOverflow},
		{400, `{"error":{"message":"Range of input length should be [1, 129024]"}}`, ClassOverflow},
		// These errors mention tokens but are no overflow.
		{400, `{"error":{"message":"max_tokens is too large: 200000. This model supports at most 128000 completion tokens"}}`, ClassRequest},
		{400, `{"error":{"message":"Invalid schema for function 'blame'","code":"invalid_function_parameters"}}`, ClassRequest},
		{429, `{"error":{"message":"Rate limit reached on tokens per min (TPM): Limit 200000, Used 199000. Please try again in 2s.","code":"rate_limit_exceeded"}}`, ClassBusy},
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","code":"insufficient_quota"}}`, ClassQuota},
		{429, `{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}`, ClassQuota},
		{400, `{"error":{"message":"Your credit balance is too low to access the Anthropic API."}}`, ClassQuota},
		{402, `{"error":{"message":"This request requires more credits"}}`, ClassQuota},
		// Keys.
		{401, `{"error":{"message":"Incorrect API key provided: sk-ab***yz."}}`, ClassAuth},
		{400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, ClassAuth},
		{400, `"Incorrect API key provided: xx."`, ClassAuth},
		{403, `{"error":{"message":"Country, region, or territory not supported"}}`, ClassAuth},
		// Models.
		{404, `{"error":{"message":"The model 'gpt-9' does not exist or you do not have access to it.","code":"model_not_found"}}`, ClassModel},
		{403, `{"error":{"message":"Project does not have access to model gpt-5","code":"model_not_found"}}`, ClassModel},
		{400, `{"error":{"message":"foo/bar is not a valid model ID"}}`, ClassModel},
		{404, `{"error":{"message":"No endpoints found that support tool use."}}`, ClassModel},
		{404, `{"error":"model 'llama9' not found"}`, ClassModel},
		{400, `{"error":"registry.ollama.ai/library/gemma:2b does not support tools"}`, ClassModel},
		// Filters.
		{400, `{"error":{"code":"content_filter","message":"The response was filtered due to the prompt triggering content management policy."}}`, ClassRefused},
		{403, `{"error":{"message":"Your input was flagged","metadata":{"reasons":["x"]}}}`, ClassRefused},
		{400, `{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}`, ClassRefused},
		{451, ``, ClassRefused},
		// What may pass.
		{503, `{"error":{"message":"The engine is currently overloaded, please try again later"}}`, ClassBusy},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, ClassBusy},
		{500, `{"error":{"message":"The server had an error while processing your request."}}`, ClassServer},
		{500, `{"error":{"message":"model failed to load, this may be due to resource limitations"}}`, ClassServer},
		{502, `<html><body><h1>502 Bad Gateway</h1></body></html>`, ClassServer},
		{500, `{"error":{"message":"Rate limit exceeded upstream"}}`, ClassBusy},
		{408, ``, ClassTransport},
	} {
		if got := readServerError([]byte(c.body)).error(c.status, keys{}).Class; got != c.want {
			t.Errorf("%d %s: got %s, want %s", c.status, c.body, got, c.want)
		}
	}
}

// A 400 without a reason counts as an overflow if that is likely.
func TestEmptyRefusal(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		c, err := New(Config{Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]Class{"short": ClassRequest, strings.Repeat("a long story ", 4000): ClassOverflow} {
			e := &Error{Class: ClassRequest, Status: 400, Message: "bad request"}
			if c.conclude(e, question(text)); e.Class != want {
				t.Errorf("%d bytes: got %s, want %s", len(text), e.Class, want)
			}
		}
	})
}

// A server's text is safe for a terminal and contains no key.
func TestOneLine(t *testing.T) {
	got := oneLine("a\x1b[31mred\x00\r\n  b\u202e c\x9b sk-secret-0123 \xff"+strings.Repeat("ö", 1000), newKeys([]string{"sk-secret-0123"}))
	if !strings.HasPrefix(got, `a\x1b[31mred\x00 b\u202e c`+"\ufffd <secret:known:") || len(got) > maxMessage+4 || !strings.HasSuffix(got, "ö ...") {
		t.Errorf("got %q", got)
	}
}
