"""Commands that go on: questions, answers, marks."""
