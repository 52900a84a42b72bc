"""Tests of builds."""
